package dev.ebb.host.cache.policy;

/**
 * How often the active policy decided whether it admits a block.
 *
 * @param evictions entries evicted since it became active
 * @param rejectedBlocks blocks that policies have not admitted since the start
 */
public record AdmissionUse(long questions, long evictions, long rejectedBlocks) {

  public AdmissionUse plus(AdmissionUse other) {
    return new AdmissionUse(
        questions + other.questions,
        evictions + other.evictions,
        rejectedBlocks + other.rejectedBlocks);
  }
}
