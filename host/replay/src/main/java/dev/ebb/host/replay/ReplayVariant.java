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
 * @param admission decides what is written to the disk; null if there is none
 * @param regionBlocks capacity of a region of the disk; 0 if it evicts block by block
 * @param hints whether it receives the hints whose worth is measured
 */
record ReplayVariant(
    PolicySpec policy,
    PolicySpec diskPolicy,
    @Nullable AdmissionRule admission,
    int regionBlocks,
    boolean hints) {

  /** Returns the rows of a replay: with tiers, each policy alone comes first. */
  static List<ReplayVariant> of(ReplayOptions options) {
    List<ReplayVariant> variants = without(options);
    if (options.hints() != null) {
      for (ReplayVariant each : List.copyOf(variants)) {
        variants.add(
            new ReplayVariant(
                each.policy, each.diskPolicy, each.admission, each.regionBlocks, true));
      }
    }
    return variants;
  }

  private static List<ReplayVariant> without(ReplayOptions options) {
    List<ReplayVariant> variants = new ArrayList<>();
    TierOptions tiers = options.tiers();
    for (PolicySpec policy : options.policies()) {
      variants.add(new ReplayVariant(policy, policy, null, 0, false));
      if (tiers != null) {
        PolicySpec disk = tiers.diskPolicy() == null ? policy : tiers.diskPolicy();
        for (AdmissionRule rule : tiers.admissions()) {
          variants.add(new ReplayVariant(policy, disk, rule, 0, false));
          if (tiers.regionBlocks() > 0) {
            variants.add(new ReplayVariant(policy, disk, rule, tiers.regionBlocks(), false));
          }
        }
      }
    }
    return variants;
  }

  /** Returns its name in reports. */
  String display() {
    String name = policy.display() + (hints ? " + hints" : "");
    if (admission == null) {
      return name;
    }
    String disk = diskPolicy.equals(policy) ? "" : diskPolicy.display() + " ";
    String regions = regionBlocks == 0 ? "" : " by region";
    return "%s + disk %s%s%s".formatted(name, disk, admission.text(), regions);
  }
}
