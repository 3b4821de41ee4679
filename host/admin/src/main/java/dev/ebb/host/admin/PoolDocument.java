package dev.ebb.host.admin;

import dev.ebb.host.engine.PoolReport;
import dev.ebb.host.engine.SequenceReport;
import dev.ebb.host.engine.ShortageCounters;
import dev.ebb.host.engine.TrafficCounters;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pool as operators see it.
 *
 * @param device where it is
 * @param policy the active eviction policy
 * @param blocks how many it has
 * @param freeBlocks how many nobody has
 * @param blockBytes the size of one
 * @param utilisation the share of blocks that somebody has
 * @param fragmentation the share of free blocks in short runs
 * @param largestFreeRun the longest run of free ones
 * @param cachedBlocks blocks that hold cached prefixes
 * @param evictableBlocks those of them that could leave now
 * @param reservedBlocks blocks taken ahead of their use
 * @param traffic what sequences did so far
 * @param shortage what was done for want of room so far
 * @param sequences open sequences with blocks here
 */
record PoolDocument(
    String device,
    String policy,
    int blocks,
    int freeBlocks,
    int blockBytes,
    double utilisation,
    double fragmentation,
    int largestFreeRun,
    int cachedBlocks,
    int evictableBlocks,
    int reservedBlocks,
    SequenceTraffic traffic,
    ShortageCounters shortage,
    List<SequenceOnDevice> sequences) {

  /** What sequences did so far. */
  record SequenceTraffic(
      long opened,
      long forked,
      long finished,
      long aborted,
      long preempted,
      long copiedBlocks,
      long copiedOverBlocks,
      long arrivedBlocks,
      long compactedBlocks,
      long promptTokens,
      long matchedTokens) {}

  /** An open sequence. */
  record SequenceOnDevice(
      long id,
      @Nullable String tenant,
      @Nullable String workload,
      int priority,
      int tokens,
      int ownBlocks,
      int cachedBlocks,
      int reservedBlocks,
      boolean inUse,
      boolean migrating) {}

  static PoolDocument of(PoolReport report) {
    return new PoolDocument(
        report.device(),
        report.policy(),
        report.pool().blocks(),
        report.pool().freeBlocks(),
        report.pool().blockBytes(),
        report.pool().utilisation(),
        report.pool().fragmentation(),
        report.pool().largestFreeRun(),
        report.cachedBlocks(),
        report.evictableBlocks(),
        report.reservedBlocks(),
        traffic(report.traffic()),
        report.shortage(),
        report.sequences().stream().map(PoolDocument::sequence).toList());
  }

  private static SequenceTraffic traffic(TrafficCounters traffic) {
    return new SequenceTraffic(
        traffic.opened(),
        traffic.forked(),
        traffic.finished(),
        traffic.aborted(),
        traffic.preempted(),
        traffic.copiedBlocks(),
        traffic.copiedOverBlocks(),
        traffic.arrivedBlocks(),
        traffic.compactedBlocks(),
        traffic.promptTokens(),
        traffic.matchedTokens());
  }

  private static SequenceOnDevice sequence(SequenceReport sequence) {
    return new SequenceOnDevice(
        sequence.id(),
        sequence.tenant(),
        sequence.workload(),
        sequence.priority(),
        sequence.tokens(),
        sequence.ownBlocks(),
        sequence.cachedBlocks(),
        sequence.reservedBlocks(),
        sequence.inUse(),
        sequence.migrating());
  }
}
