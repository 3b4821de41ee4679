package dev.ebb.host.replay;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.config.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of a replay: a policy in one memory, or in a memory with a disk behind it.
 *
 * @param policy that of the memory
 * @param diskPolicy that of the disk
 * @param admission decides what is written to the disk; null if there is none
 * @param regionBlocks capacity of a region of the disk; 0 if it evicts block by block
 */
record ReplayVariant(
    PolicySpec policy, PolicySpec diskPolicy, @Nullable AdmissionRule admission, int regionBlocks) {

  /** Returns the rows of a replay: with tiers, each policy alone comes first. */
  static List<ReplayVariant> of(ReplayOptions options) {
    List<ReplayVariant> variants = new ArrayList<>();
    TierOptions tiers = options.tiers();
    for (PolicySpec policy : options.policies()) {
      variants.add(new ReplayVariant(policy, policy, null, 0));
      if (tiers != null) {
        PolicySpec disk = tiers.diskPolicy() == null ? policy : tiers.diskPolicy();
        for (AdmissionRule rule : tiers.admissions()) {
          variants.add(new ReplayVariant(policy, disk, rule, 0));
          if (tiers.regionBlocks() > 0) {
            variants.add(new ReplayVariant(policy, disk, rule, tiers.regionBlocks()));
          }
        }
      }
    }
    return variants;
  }

  /** Returns its name in reports. */
  String display() {
    if (admission == null) {
      return policy.display();
    }
    String disk = diskPolicy.equals(policy) ? "" : diskPolicy.display() + " ";
    String regions = regionBlocks == 0 ? "" : " by region";
    return "%s + disk %s%s%s".formatted(policy.display(), disk, admission.text(), regions);
  }
}
