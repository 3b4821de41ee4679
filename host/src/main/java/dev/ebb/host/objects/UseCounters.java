package dev.ebb.host.objects;

import java.util.concurrent.atomic.LongAdder;

/** What one tenant, or one model, makes of the store. Safe for use by many threads. */
final class UseCounters {

  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  private final LongAdder entries = new LongAdder();
  private final LongAdder units = new LongAdder();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder evictedUnits = new LongAdder();

  void entered(long weight) {
    entries.increment();
    units.add(weight);
  }

  void left(long weight, boolean forRoom) {
    entries.decrement();
    units.add(-weight);
    if (forRoom) {
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
        evictedUnits.sum() * ObjectMemory.UNIT_BYTES);
  }
}
