package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.policy.EvictionLimits;

/**
 * Eviction ahead of demand: it begins above the threshold and ends at the target. Used under the
 * cache's monitor.
 */
final class EvictionThresholds {

  private final CacheState state;
  private double threshold;
  private double target;
  private long deadlineNanos;
  private boolean evicting;

  EvictionThresholds(CacheState state, EvictionLimits limits) {
    this.state = state;
    limits(limits);
  }

  final void limits(EvictionLimits limits) {
    threshold = limits.threshold();
    target = limits.target();
    deadlineNanos = limits.deadline().toNanos();
  }

  /** Returns how long a policy may take without progress while a client waits. */
  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Returns whether so many more blocks start eviction that is not running. */
  boolean startsWith(long blocks) {
    if (evicting || state.staying() + blocks <= share(threshold)) {
      return false;
    }
    evicting = true;
    return true;
  }

  long surplus() {
    long occupied = state.staying();
    if (occupied > share(threshold)) {
      evicting = true;
    } else if (occupied <= share(target)) {
      evicting = false;
    }
    return evicting ? Math.max(0, occupied - share(target)) : 0;
  }

  /**
   * Returns the cached blocks above the threshold, for a policy that decides on blocks which are
   * cached already: room made before there is a block to decide on would be a decision for it.
   */
  long excess() {
    return state.resident() - share(threshold);
  }

  /** Returns whether so many blocks are worth a wake-up, which handles several. */
  boolean isWorthWaking(long excess) {
    return excess > headroom() / 8;
  }

  /**
   * Returns the blocks to free before a waiting client is woken. A wake-up for each evicted entry
   * costs more than all else. While eviction ahead of demand runs anyway, an eighth of its headroom
   * is freed first.
   */
  long spare() {
    return evicting ? headroom() / 8 : 0;
  }

  private long headroom() {
    return state.capacity() - share(threshold);
  }

  private long share(double of) {
    return (long) (of * state.capacity());
  }
}
