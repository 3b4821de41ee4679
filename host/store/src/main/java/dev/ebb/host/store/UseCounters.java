package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.RemovalCause;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The counters of one tenant, or one model. Thread-safe. */
final class UseCounters {

  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  private final LongAdder entries = new LongAdder();
  private final LongAdder units = new LongAdder();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder evictedUnits = new LongAdder();
  private final Map<RemovalCause, LongAdder> removals = new EnumMap<>(RemovalCause.class);

  UseCounters() {
    for (RemovalCause cause : RemovalCause.values()) {
      removals.put(cause, new LongAdder());
    }
  }

  void added(long weight) {
    entries.increment();
    units.add(weight);
  }

  void removed(long weight, RemovalCause cause) {
    requireNonNull(removals.get(cause)).increment();
    entries.decrement();
    units.add(-weight);
    if (cause.forCapacity()) {
      evicted.increment();
      evictedUnits.add(weight);
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
        units.sum() * ObjectMemory.UNIT_BYTES,
        evicted.sum(),
        evictedUnits.sum() * ObjectMemory.UNIT_BYTES,
        counts);
  }
}
