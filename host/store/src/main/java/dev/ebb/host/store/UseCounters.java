package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The counters of one tenant, or one model. Thread-safe. */
final class UseCounters {

  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  private final LongAdder entries = new LongAdder();
  private final LongAdder units = new LongAdder();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder evictedUnits = new LongAdder();
  private final Map<RemovalCause, LongAdder> removals =
      Arrays.stream(RemovalCause.values())
          .collect(
              Collectors.toMap(
                  Function.identity(),
                  cause -> new LongAdder(),
                  (one, other) -> one,
                  () -> new EnumMap<>(RemovalCause.class)));

  void entered(long weight) {
    entries.increment();
    units.add(weight);
  }

  void left(long weight, RemovalCause cause) {
    requireNonNull(removals.get(cause)).increment();
    entries.decrement();
    units.add(-weight);
    if (cause.forCapacity()) {
      evicted.increment();
      evictedUnits.add(weight);
    }
  }

  UseStats stats(String name) {
    return new UseStats(
        name,
        hits.sum(),
        misses.sum(),
        entries.sum(),
        units.sum() * ObjectMemory.UNIT_BYTES,
        evicted.sum(),
        evictedUnits.sum() * ObjectMemory.UNIT_BYTES,
        counts());
  }

  private Map<RemovalCause, Long> counts() {
    Map<RemovalCause, Long> counts = new EnumMap<>(RemovalCause.class);
    removals.forEach((cause, count) -> counts.put(cause, count.sum()));
    return counts;
  }
}
