package dev.ebb.host.engine;

import dev.ebb.host.admin.ProcessDocument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole engine in one document, in the words of a serving process' where both have the same.
 * Counts are since the start.
 *
 * @param server the process
 * @param policy who decides
 * @param pool the memory of all devices together
 * @param sequences what they did
 * @param tokens what of their prompts was there
 * @param evictions which cached blocks left
 * @param shortage what was done for want of room
 * @param partitions the devices
 * @param tenants what each tenant makes of it, as far as sequences say
 * @param fairness Jain's index over tenants' shares of prompt tokens that were there; null while no
 *     tenant has any
 * @param jvm the heap beside the pool
 */
record EngineDocument(
    ProcessDocument.Server server,
    Policy policy,
    Pool pool,
    Sequences sequences,
    Tokens tokens,
    Evictions evictions,
    ShortageCounters shortage,
    List<Part> partitions,
    List<Tenant> tenants,
    @Nullable Double fairness,
    ProcessDocument.Jvm jvm) {

  /** Which policy is in force, which was asked for, and how often one broke its contract. */
  record Policy(String name, String configured, long faults) {}

  /** Bytes, and the shares of the pool that eviction goes by. */
  record Pool(
      long capacityBytes, long usedBytes, double occupancy, double threshold, double target) {}

  /** How many are open, and what became of the others. */
  record Sequences(
      long open, long opened, long forked, long finished, long aborted, long preempted) {}

  /**
   * Tokens of all prompts, those whose K and V were there, and the share; null before the first.
   */
  record Tokens(long prompt, long matched, @Nullable Double hitRatio) {}

  /** Cached blocks with all their lane groups count as one entry. */
  record Evictions(
      long entries,
      long bytes,
      long tokens,
      long background,
      long demand,
      long passes,
      long regrets,
      int regretWindow,
      @Nullable Double rePrefillRate) {}

  /** Tokens of a tenant's prompts, and those whose K and V were there. */
  record Tenant(String name, long prompt, long matched) {}

  /** A device. */
  record Part(
      String name,
      long capacityBytes,
      long usedBytes,
      long evictableBytes,
      long entries,
      long evicted,
      String policy) {}
}
