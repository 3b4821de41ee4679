package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.spi.Demand;

/** Measures one eviction pass. */
final class PassMeter {

  private final CacheState state;
  private final Demand.Reason reason;
  private final EvictedBy by;
  private long asked;
  private final long start = System.nanoTime();
  private final long before;
  private final long refusedBefore;
  private long entries;
  private long freed;

  PassMeter(CacheState state, Demand.Reason reason, EvictedBy by, long asked) {
    this.state = state;
    this.reason = reason;
    this.by = by;
    this.asked = asked;
    before = state.occupied();
    refusedBefore = state.counters.refusals;
  }

  Demand.Reason reason() {
    return reason;
  }

  void asks(long further) {
    asked = Math.max(asked, freed + further);
  }

  void evicted(long blocks) {
    entries++;
    freed += blocks;
  }

  void end(String policy) {
    long blockBytes = state.counters.blockBytes();
    state.counters.passed(
        new EvictionPass(
            System.currentTimeMillis(),
            policy,
            by,
            reason,
            asked * blockBytes,
            freed * blockBytes,
            entries,
            state.counters.refusals - refusedBefore,
            before * blockBytes,
            state.occupied() * blockBytes,
            System.nanoTime() - start));
  }
}
