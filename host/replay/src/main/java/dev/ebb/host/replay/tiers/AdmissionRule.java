package dev.ebb.host.replay.tiers;

import dev.ebb.host.errors.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * A rule for what is written to the disk, as the user names it.
 *
 * @param text as the user wrote it
 * @param admission makes the decisions of one run
 */
public record AdmissionRule(String text, Supplier<DiskAdmission> admission) {

  /** The rule that writes everything. */
  public static final AdmissionRule ALL = new AdmissionRule("all", () -> block -> true);

  private static final AdmissionRule SECOND_USE =
      new AdmissionRule("second-use", () -> block -> block.uses > 1);

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
    return switch (text) {
      case "all" -> ALL;
      case "second-use" -> SECOND_USE;
      default ->
          throw new UserError(
              "%s: '%s' is not an admission rule; use all or second-use".formatted(option, text));
    };
  }
}
