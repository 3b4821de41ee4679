package dev.ebb.host.replay;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a replay with a disk behind the memory.
 *
 * @param diskPolicy the policy of the disk; null for that of the memory
 * @param admissions rules for what is written, each of which is replayed
 * @param regionBlocks capacity of a region of the disk, to replay eviction by region too; 0 not to
 */
public record TierOptions(
    Capacity memory,
    Capacity disk,
    @Nullable PolicySpec diskPolicy,
    List<AdmissionRule> admissions,
    int regionBlocks) {

  /** Copies the list. */
  public TierOptions {
    admissions = List.copyOf(admissions);
  }

  /**
   * Returns the capacity of both in blocks.
   *
   * @throws UserError if the disk has less than two regions
   */
  long sum(long distinctBlocks) {
    if (2L * regionBlocks > disk.blocksOf(distinctBlocks)) {
      throw new UserError(
          "--disk-regions: '%d' must be at most half of the disk, which has %d blocks; use smaller regions"
              .formatted(regionBlocks, disk.blocksOf(distinctBlocks)));
    }
    return memory.blocksOf(distinctBlocks) + disk.blocksOf(distinctBlocks);
  }

  /** Returns the same with capacities in blocks. */
  TierOptions withBlocks(long distinctBlocks) {
    return new TierOptions(
        memory.inBlocks(distinctBlocks),
        disk.inBlocks(distinctBlocks),
        diskPolicy,
        admissions,
        regionBlocks);
  }
}
