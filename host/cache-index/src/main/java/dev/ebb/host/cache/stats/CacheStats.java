package dev.ebb.host.cache.stats;

import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.spi.RemovalCause;
import java.util.Map;

/**
 * The statistics of a cache at one moment. Counts are since the start.
 *
 * @param reservedBlocks blocks reserved for objects being made
 * @param capacityBlocks blocks that may be resident or reserved
 * @param evictionsByPolicy the same under each policy that was active at the time
 * @param refusals offered victims that could not be evicted
 * @param protectedRefusals offered victims of higher priority than the request
 * @param protectedEvictions entries of higher priority than the request, evicted because nothing
 *     else could be
 * @param notAdmitted blocks of requests without room
 * @param faults how often a policy broke its contract, by kind; no kind that never happened
 * @param lifetimes nanoseconds from an entry's insertion to its removal; counted only with a log
 * @param passNanos nanoseconds of an eviction pass; counted only with a listener
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
    long protectedRefusals,
    long protectedEvictions,
    long notAdmitted,
    long rejected,
    Map<PolicyFault.Kind, Long> faults,
    Histogram lifetimes,
    Histogram passNanos,
    PolicyThreadStats thread,
    Map<String, Double> gauges) {

  /** An amount of entries and blocks. */
  public record Amount(long entries, long blocks) {}
}
