package dev.ebb.plugin.classic;

import dev.ebb.spi.Entry;
import dev.ebb.spi.sim.NaiveListPolicy;
import org.jspecify.annotations.Nullable;

/** Hyperbolic caching by a walk over all entries. */
final class NaiveHyperbolic extends NaiveListPolicy {

  private long now;

  @Override
  public void accessed(Item item) {
    now = Math.max(now, item.entry.lastAccessTick());
  }

  @Override
  protected @Nullable Item choose() {
    return lowest(candidates());
  }

  @Override
  public double score(Item item) {
    Entry entry = item.entry;
    return entry.accesses() / (double) Math.max(1, now - entry.createdTick());
  }
}
