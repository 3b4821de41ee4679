package dev.ebb.host.loadgen.traffic;

import it.unimi.dsi.fastutil.longs.LongArrayList;
import it.unimi.dsi.fastutil.longs.LongLinkedOpenHashSet;

/**
 * The chunks in an engine's own memory, of which the least recently used are evicted. Thread-safe.
 */
final class LocalChunks {

  private final long capacity;
  private final LongLinkedOpenHashSet ids = new LongLinkedOpenHashSet();

  LocalChunks(long capacity) {
    this.capacity = capacity;
  }

  /** Returns how many of the first chunks it has. */
  synchronized int prefix(LongArrayList prompt) {
    int length = 0;
    while (length < prompt.size() && ids.contains(prompt.getLong(length))) {
      length++;
    }
    return length;
  }

  synchronized boolean contains(long id) {
    return ids.contains(id);
  }

  /** Records that a prompt was computed: all its chunks have been used. */
  synchronized void use(LongArrayList prompt) {
    if (capacity > 0) {
      prompt.forEach((long id) -> ids.addAndMoveToLast(id));
      while (ids.size() > capacity) {
        ids.removeFirstLong();
      }
    }
  }
}
