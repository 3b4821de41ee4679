package dev.ebb.host.store.key;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.RemovalCause;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one tenant, or one model. Thread-safe. */
final class UseCounters {

  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder entries = new LongAdder();
  final LongAdder bytes = new LongAdder();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder evictedBytes = new LongAdder();
  private final Map<RemovalCause, LongAdder> removals = new EnumMap<>(RemovalCause.class);

  UseCounters() {
    for (RemovalCause cause : RemovalCause.values()) {
      removals.put(cause, new LongAdder());
    }
  }

  void removed(long size, RemovalCause cause) {
    requireNonNull(removals.get(cause)).increment();
    entries.decrement();
    bytes.add(-size);
    if (cause.forCapacity()) {
      evicted.increment();
      evictedBytes.add(size);
    }
  }

  UseStats stats(String name) {
    Map<RemovalCause, Long> counts = new EnumMap<>(RemovalCause.class);
    removals.forEach((cause, count) -> counts.put(cause, count.sum()));
    return new UseStats(
        name,
        hits.sum(),
        misses.sum(),
        entries.sum(),
        bytes.sum(),
        evicted.sum(),
        evictedBytes.sum(),
        counts);
  }
}
