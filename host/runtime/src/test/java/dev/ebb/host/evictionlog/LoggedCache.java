package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import java.nio.charset.StandardCharsets;

/** A cache of one-block objects whose evictions are written down. */
final class LoggedCache {

  static final long BLOCK_BYTES = 1_024;

  private final BlockCache cache =
      new InlineBlockCache(1_000, System::nanoTime, new GhostWindow(16), OnFault.FAIL);
  private final EvictionLog log;
  private long made;

  LoggedCache(int logSize) {
    log = new EvictionLog(logSize);
    cache.log(
        log, BLOCK_BYTES, entry -> ("key " + entry.fingerprint()).getBytes(StandardCharsets.UTF_8));
  }

  EvictionLog log() {
    return log;
  }

  /** Evicts so many new objects, in one run. */
  void evict(int objects) {
    for (int i = 0; i < objects; i++) {
      cache.reserve(1, RequestFacts.UNKNOWN);
      cache.insert(++made, 0, 1, RequestFacts.UNKNOWN);
    }
    cache.evict(objects, Demand.Reason.MANUAL, RequestFacts.UNKNOWN);
  }
}
