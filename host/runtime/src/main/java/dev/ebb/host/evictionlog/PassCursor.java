package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.stats.EvictionPass;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads new eviction runs. Runs have no sequence numbers, so the cursor keeps the last run it has
 * read.
 */
final class PassCursor {

  private final EvictionLog log;
  private @Nullable EvictionPass last;

  PassCursor(EvictionLog log) {
    this.log = log;
    List<EvictionPass> passes = log.passes(1);
    last = passes.isEmpty() ? null : passes.getLast();
  }

  List<EvictionPass> read() {
    List<EvictionPass> passes = log.passes(Integer.MAX_VALUE);
    int from = passes.size();
    while (from > 0 && passes.get(from - 1) != last) {
      from--;
    }
    if (!passes.isEmpty()) {
      last = passes.getLast();
    }
    return new ArrayList<>(passes.subList(from, passes.size()));
  }
}
