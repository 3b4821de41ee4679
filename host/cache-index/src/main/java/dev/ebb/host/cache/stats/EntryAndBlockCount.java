package dev.ebb.host.cache.stats;

import java.util.EnumMap;
import java.util.Map;

/** Counts entries and their blocks for each of a few cases. */
public final class EntryAndBlockCount<E extends Enum<E>> {

  private final Class<E> cases;
  private final long[] entries;
  private final long[] blocks;

  public EntryAndBlockCount(Class<E> cases) {
    this.cases = cases;
    entries = new long[cases.getEnumConstants().length];
    blocks = new long[entries.length];
  }

  public void add(E to, long count) {
    int place = place(to);
    entries[place]++;
    blocks[place] += count;
  }

  public CacheStats.Amount read(E in) {
    return new CacheStats.Amount(entries[place(in)], blocks[place(in)]);
  }

  public Map<E, CacheStats.Amount> read() {
    Map<E, CacheStats.Amount> read = new EnumMap<>(cases);
    for (E one : cases.getEnumConstants()) {
      read.put(one, read(one));
    }
    return read;
  }

  // Counting is part of every eviction, and a map costs as much as the rest of it.
  @SuppressWarnings("EnumOrdinal")
  private int place(E one) {
    return one.ordinal();
  }
}
