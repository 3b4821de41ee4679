package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import it.unimi.dsi.fastutil.longs.LongArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Who was resident at one moment, for a policy that takes over. Holds as long as the slots of those
 * who leave meanwhile are not given back.
 */
final class Handover {

  private final @Nullable CacheEntry[] entries;
  private final long[] published;
  private final int count;

  Handover(@Nullable CacheEntry[] entries, long[] published, int count) {
    this.entries = entries;
    this.published = published;
    this.count = count;
  }

  /** The residents in the order of their last use, coldest first. */
  Iterable<CacheEntry> coldestFirst() {
    // Read once, since entries may be used while this sorts.
    long[] ticks = new long[count];
    long[] slots = new long[count];
    int next = 0;
    for (int word = 0; word < published.length; word++) {
      for (long bits = published[word]; bits != 0; bits &= bits - 1) {
        int slot = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
        ticks[next] = entry(slot).lastTick;
        slots[next++] = slot;
      }
    }
    LongArrays.radixSort(ticks, slots);
    return () -> Arrays.stream(slots).mapToObj(slot -> entry((int) slot)).iterator();
  }

  private CacheEntry entry(int slot) {
    return requireNonNull(entries[slot]);
  }
}
