package dev.ebb.host.tokeneval;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import java.util.List;

/**
 * The options of an evaluation.
 *
 * @param policies token policies, or names of one with a budget rule; at least one
 * @param budget the budget rule of policies whose name does not imply another
 * @param ratios shares of the prompt to keep, each above 0 and at most 1
 * @param prompts how many prompts of each kind
 * @param length tokens of a prompt
 * @param seed decides the model and the prompts
 */
public record RecallOptions(
    List<PolicySpec> policies,
    String budget,
    List<Double> ratios,
    int prompts,
    int length,
    long seed) {

  private static final int LONGEST = 4_096;
  private static final int MOST_PROMPTS = 10_000;

  public RecallOptions {
    policies = List.copyOf(policies);
    ratios = List.copyOf(ratios);
    if (policies.isEmpty()) {
      throw new UserError(
          "no token policy is installed; put a plugin that offers one into the folder");
    }
    for (double ratio : ratios) {
      if (!(ratio > 0 && ratio <= 1)) {
        throw new UserError("--ratios: '%s' must be above 0 and at most 1".formatted(ratio));
      }
    }
    between("--seeds", prompts, 1, MOST_PROMPTS);
    between("--tokens", length, RecallQuestions.SHORTEST, LONGEST);
  }

  private static void between(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new UserError("%s: '%d' must be %d to %d".formatted(option, value, least, most));
    }
  }
}
