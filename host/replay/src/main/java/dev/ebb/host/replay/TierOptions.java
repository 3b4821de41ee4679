package dev.ebb.host.replay;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.replay.tiers.AdmissionRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a replay with a disk behind the memory.
 *
 * @param memory capacity of the memory
 * @param disk capacity of the disk
 * @param diskPolicy the policy of the disk; null for that of the memory
 * @param admissions rules for what is written, each of which is replayed
 */
public record TierOptions(
    Capacity memory,
    Capacity disk,
    @Nullable PolicySpec diskPolicy,
    List<AdmissionRule> admissions) {

  /** Copies the list. */
  public TierOptions {
    admissions = List.copyOf(admissions);
  }

  /** Returns the capacity of both in blocks. */
  long sum(long distinctBlocks) {
    return memory.blocksOf(distinctBlocks) + disk.blocksOf(distinctBlocks);
  }

  /** Returns the same with capacities in blocks. */
  TierOptions withBlocks(long distinctBlocks) {
    return new TierOptions(
        memory.inBlocks(distinctBlocks), disk.inBlocks(distinctBlocks), diskPolicy, admissions);
  }
}
