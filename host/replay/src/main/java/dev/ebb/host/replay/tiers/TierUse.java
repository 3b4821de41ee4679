package dev.ebb.host.replay.tiers;

import dev.ebb.host.admission.AdmissionRule;

/**
 * What two tiers did in a run.
 *
 * @param policy the policy of the memory
 * @param admission the rule that decided what is written
 * @param memoryBlocks capacity of the memory
 * @param diskBlocks capacity of the disk
 * @param memoryHits prefix hits in memory
 * @param diskHits prefix hits on the disk
 * @param demotedBlocks blocks that memory evicted or did not admit, and the disk did not have
 * @param writtenBlocks those of them that were written
 * @param regionBlocks capacity of a region; 0 if the disk evicts block by block
 * @param rewrittenBlocks blocks written again because their region was freed
 * @param diskEvictions blocks that the disk evicted
 * @param traceNanos from the first request to the last
 */
public record TierUse(
    String policy,
    String diskPolicy,
    String admission,
    long memoryBlocks,
    long diskBlocks,
    long memoryHits,
    long diskHits,
    long demotedBlocks,
    long writtenBlocks,
    int regionBlocks,
    long rewrittenBlocks,
    long diskEvictions,
    long traceNanos) {

  private static final double NANOS_PER_DAY = 86_400e9;

  /** Returns whether this is the run with the same policies in which everything was written. */
  public boolean isBaselineOf(TierUse other) {
    return admission.equals(AdmissionRule.ALL.text())
        && regionBlocks == other.regionBlocks
        && policy.equals(other.policy)
        && diskPolicy.equals(other.diskPolicy);
  }

  /** Returns whether this is the same run with eviction block by block. */
  public boolean isByBlockOf(TierUse other) {
    return regionBlocks == 0
        && admission.equals(other.admission)
        && policy.equals(other.policy)
        && diskPolicy.equals(other.diskPolicy);
  }

  /** Returns all writes for each block that was written for the first time; NaN without writes. */
  public double writeAmplification() {
    return writtenBlocks == 0 ? Double.NaN : (double) allWrites() / writtenBlocks;
  }

  /** Returns the blocks written, those written again included. */
  public long allWrites() {
    return writtenBlocks + rewrittenBlocks;
  }

  /** Returns the hits on the disk for each block written to it; NaN if none was written. */
  public double hitsPerWrite() {
    return writtenBlocks == 0 ? Double.NaN : (double) diskHits / allWrites();
  }

  /**
   * Returns how many times its capacity the disk is written in a day at the trace's rate; NaN if
   * the trace has no duration.
   */
  public double fullWritesPerDay() {
    return traceNanos == 0 ? Double.NaN : allWrites() * NANOS_PER_DAY / traceNanos / diskBlocks;
  }
}
