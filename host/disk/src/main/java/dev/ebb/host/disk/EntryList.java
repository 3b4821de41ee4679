package dev.ebb.host.disk;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Some entries of the index. */
final class EntryList implements DiskIndex.Visitor {

  private long[] entries = new long[256];
  private int used;

  @Override
  public void entry(long hash, long location) {
    if (used == entries.length) {
      entries = Arrays.copyOf(entries, 2 * used);
    }
    entries[used++] = hash;
    entries[used++] = location;
  }

  /** Returns the entries of the index in a region. */
  static EntryList inRegion(DiskIndex index, int region) {
    EntryList list = new EntryList();
    index.each((hash, location) -> {
      if (Location.region(location) == region) {
        list.entry(hash, location);
      }
    });
    return list;
  }

  /** Orders entries of one region by their offset in it. */
  void sortByOffset() {
    int[] order =
        IntStream.range(0, size())
            .boxed()
            .sorted(Comparator.comparingInt(i -> Location.offset(location(i))))
            .mapToInt(Integer::intValue)
            .toArray();
    long[] sorted = new long[used];
    for (int i = 0; i < order.length; i++) {
      sorted[2 * i] = hash(order[i]);
      sorted[2 * i + 1] = location(order[i]);
    }
    entries = sorted;
  }

  boolean isEmpty() {
    return used == 0;
  }

  int size() {
    return used / 2;
  }

  long hash(int i) {
    return entries[2 * i];
  }

  long location(int i) {
    return entries[2 * i + 1];
  }

  void each(DiskIndex.Visitor visitor) {
    for (int i = 0; i < used; i += 2) {
      visitor.entry(entries[i], entries[i + 1]);
    }
  }
}
