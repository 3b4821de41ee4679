package dev.ebb.host.replay.tiers;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.PolicyClock;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A rule for what is written to the disk, as the user names it.
 *
 * @param text as the user wrote it
 * @param admission makes the decisions of one run
 */
public record AdmissionRule(String text, Function<PolicyClock, DiskAdmission> admission) {

  /** The rule that writes everything. */
  public static final AdmissionRule ALL = new AdmissionRule("all", clock -> block -> true);

  private static final AdmissionRule SECOND_USE =
      new AdmissionRule("second-use", clock -> block -> block.uses > 1);

  private static final String REUSE = "reuse=";
  private static final String BUDGET = "write-budget=";
  private static final long LARGEST_BUDGET = 1L << 40;

  /**
   * Parses a list separated by commas.
   *
   * @param option its origin, for messages
   * @return different rules, in that order
   * @throws UserError if one is wrong
   */
  public static List<AdmissionRule> parseAll(String text, String option) {
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .distinct()
        .map(each -> parse(each, option))
        .toList();
  }

  private static AdmissionRule parse(String text, String option) {
    if (text.equals(ALL.text)) {
      return ALL;
    }
    if (text.equals(SECOND_USE.text)) {
      return SECOND_USE;
    }
    try {
      if (text.startsWith(REUSE) && text.endsWith("%")) {
        double percent = Double.parseDouble(text.substring(REUSE.length(), text.length() - 1));
        if (percent > 0 && percent <= 100) {
          return new AdmissionRule(text, clock -> new ReuseAdmission(() -> percent / 100));
        }
      } else if (text.startsWith(BUDGET)) {
        long blocks = Long.parseLong(text.substring(BUDGET.length()).replace("_", ""));
        if (blocks >= 1 && blocks <= LARGEST_BUDGET) {
          return new AdmissionRule(text, clock -> new WriteBudget(blocks, clock));
        }
      }
    } catch (NumberFormatException e) {
      // Reported below.
    }
    throw new UserError(
        "%s: '%s' is not an admission rule; use all, second-use, reuse=SHARE with a share above 0%% and up to 100%%, such as reuse=40%%, or write-budget=BLOCKS with the blocks of a day, such as write-budget=100000"
            .formatted(option, text));
  }
}
