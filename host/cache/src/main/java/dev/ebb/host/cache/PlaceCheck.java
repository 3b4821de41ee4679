package dev.ebb.host.cache;

import dev.ebb.host.cache.index.CacheState;
import org.jspecify.annotations.Nullable;

/** Checks one part of a cache, a step at a time. Used by one thread. */
final class PlaceCheck {

  /** How many entries are checked under the lock at a time. */
  private static final int SLICE = 4 << 10;

  private final PolicyPlace place;
  private int from;

  /** The last event when the sums were right. */
  private long summedTick = -1;

  /** The last event at the step before. */
  private long lastTick = -1;

  /** What is suspected, and since when. */
  private @Nullable String suspected;

  private long sinceNanos;

  PlaceCheck(PolicyPlace place) {
    this.place = place;
  }

  /**
   * Checks the next entries, and the sums if there was no event since the last step. Returns a
   * contradiction that has lasted for a time; null if there is none.
   */
  @Nullable String next(long confirmNanos) {
    String found = place.check(this::step);
    if (found == null) {
      suspected = null;
      return null;
    }
    if (!found.equals(suspected)) {
      suspected = found;
      sinceNanos = System.nanoTime();
    }
    return System.nanoTime() - sinceNanos < confirmNanos
        ? null
        : "%s (partition '%s')".formatted(found, place.name());
  }

  private @Nullable String step(CacheState state) {
    CacheCheck check = new CacheCheck(state);
    String found = check.entries(from, from + SLICE);
    if (found != null) {
      // The same entries are checked again.
      return found;
    }
    from = from + SLICE < state.slots.used() ? from + SLICE : 0;
    return sums(state.tick(), check);
  }

  private @Nullable String sums(long tick, CacheCheck check) {
    boolean idle = tick == lastTick;
    lastTick = tick;
    if (!idle || tick == summedTick) {
      return null;
    }
    String found = check.sums();
    summedTick = found == null ? tick : -1;
    return found;
  }
}
