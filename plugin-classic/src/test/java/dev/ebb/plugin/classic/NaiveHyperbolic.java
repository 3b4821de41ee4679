package dev.ebb.plugin.classic;

import dev.ebb.spi.Entry;
import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/** Hyperbolic caching by a walk over all entries. */
final class NaiveHyperbolic extends NaiveListPolicy {

  private long now;

  @Override
  protected void admit(Item item) {
    accessed(item);
  }

  @Override
  public void accessed(Item item) {
    now = Math.max(now, item.entry.lastAccessTick());
  }

  @Override
  protected @Nullable Item choose() {
    return residents.stream()
        .filter(item -> !item.aside)
        .min(
            Comparator.comparingDouble(this::score)
                .thenComparingLong(item -> item.entry.lastAccessTick()))
        .orElse(null);
  }

  @Override
  public double score(Item item) {
    Entry entry = item.entry;
    return entry.accesses() / (double) Math.max(1, now - entry.createdTick());
  }
}
