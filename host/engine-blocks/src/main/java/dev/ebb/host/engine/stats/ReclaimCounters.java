package dev.ebb.host.engine.stats;

/**
 * The counters of actions for a full pool since the start.
 *
 * @param compactions attempts to make one free run of many
 * @param preemptions sequences preempted by others of higher priority
 * @param refusals calls that failed with {@code OutOfBlocksException}
 */
public record ReclaimCounters(
    long compactions, long evictedEntries, long preemptions, long waits, long refusals) {

  /** Adds the counters of two devices. */
  public ReclaimCounters plus(ReclaimCounters other) {
    return new ReclaimCounters(
        compactions + other.compactions,
        evictedEntries + other.evictedEntries,
        preemptions + other.preemptions,
        waits + other.waits,
        refusals + other.refusals);
  }
}
