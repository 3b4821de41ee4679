package dev.ebb.host.cache.index;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The residents at one moment, for a policy that takes over. Valid as long as the slots of removed
 * entries are not recycled.
 */
public final class ResidentSnapshot {

  private final @Nullable CacheEntry[] entries;
  private final long[] published;
  private final int count;

  ResidentSnapshot(@Nullable CacheEntry[] entries, long[] published, int count) {
    this.entries = entries;
    this.published = published;
    this.count = count;
  }

  /** An entry, and when it was last used: read once, because it may be used during the sort. */
  private record Resident(CacheEntry entry, long tick) {}

  /** Returns the residents in the order of their last use, coldest first. */
  public Iterable<CacheEntry> coldestFirst() {
    Resident[] residents = new Resident[count];
    int next = 0;
    for (int word = 0; word < published.length; word++) {
      for (long bits = published[word]; bits != 0; bits &= bits - 1) {
        int slot = word * Long.SIZE + Long.numberOfTrailingZeros(bits);
        CacheEntry entry = requireNonNull(entries[slot]);
        residents[next++] = new Resident(entry, entry.lastTick);
      }
    }
    Arrays.sort(residents, Comparator.comparingLong(Resident::tick));
    return () -> entriesOf(residents);
  }

  private static Iterator<CacheEntry> entriesOf(Resident[] residents) {
    return Arrays.stream(residents).map(Resident::entry).iterator();
  }
}
