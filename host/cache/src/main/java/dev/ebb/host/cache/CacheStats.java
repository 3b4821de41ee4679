package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;
import java.util.Map;

/**
 * A cache in numbers, as of one moment. Counts are since the start.
 *
 * @param policy the name of the active policy
 * @param entries resident entries
 * @param residentBlocks their blocks
 * @param reservedBlocks blocks set aside for what is being made
 * @param evictableBlocks blocks that can be evicted now
 * @param capacityBlocks blocks that may be resident or reserved
 * @param removals what left, by cause
 * @param evictions what was evicted, by account
 * @param evictionsByPolicy the same under each policy that was active at the time
 * @param passes runs of evictions
 * @param refusals offered entries that could not be evicted
 * @param notAdmitted blocks of requests that found no room
 * @param faults how often a policy broke its contract, by kind; no kind that never happened
 * @param lifetimes nanoseconds from an entry's insertion to its removal; counted only with a log
 * @param passNanos nanoseconds of a run of evictions; counted only if somebody listens to them
 * @param thread the policy's own thread; all zero if it runs on its caller's
 * @param gauges the policy's inner state, about a second old; empty if it runs on its caller's
 *     thread
 */
public record CacheStats(
    String policy,
    long entries,
    long residentBlocks,
    long reservedBlocks,
    long evictableBlocks,
    long capacityBlocks,
    Map<RemovalCause, Amount> removals,
    Map<EvictedBy, Amount> evictions,
    Map<String, Map<EvictedBy, Amount>> evictionsByPolicy,
    long passes,
    long refusals,
    long notAdmitted,
    Map<PolicyFault.Kind, Long> faults,
    Histogram lifetimes,
    Histogram passNanos,
    PolicyThreadStats thread,
    Map<String, Double> gauges) {

  /**
   * How much of something.
   *
   * @param entries entries
   * @param blocks their blocks
   */
  public record Amount(long entries, long blocks) {}
}
