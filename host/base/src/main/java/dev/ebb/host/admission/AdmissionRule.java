package dev.ebb.host.admission;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * A rule for what is written to the disk, as the user names it.
 *
 * @param text as the user wrote it
 * @param create makes decisions by it, with a clock in nanoseconds
 */
public record AdmissionRule(String text, Function<LongSupplier, WriteAdmission> create) {

  /** The rule that writes everything. */
  public static final AdmissionRule ALL = new AdmissionRule("all", clock -> value -> true);

  private static final AdmissionRule SECOND_USE =
      new AdmissionRule("second-use", clock -> new SecondUse());

  private static final String REUSE = "reuse=";
  private static final String BUDGET = "write-budget=";
  private static final long LARGEST_BUDGET = 1L << 60;

  /** What budgets count. */
  public enum Unit {
    BLOCKS("BLOCKS", "write-budget=100000"),
    BYTES("BYTES", "\"write-budget=500 GiB\"");

    private final String name;
    private final String example;

    Unit(String name, String example) {
      this.name = name;
      this.example = example;
    }

    private long parse(String text) {
      return this == BYTES ? ByteSize.parse(text).orElse(0) : Long.parseLong(text.replace("_", ""));
    }

    public String allowed() {
      return "all, second-use, reuse=SHARE with a share above 0 %% and up to 100 %%, such as reuse=60%%, or write-budget=%s with the %s of a day, such as %s"
          .formatted(name, name.toLowerCase(Locale.ROOT), example);
    }
  }

  /** Parses a list separated by commas, with budgets in blocks; the option is for messages. */
  public static List<AdmissionRule> parseAll(String text, String option) {
    return Arrays.stream(text.split(",", -1))
        .map(String::strip)
        .distinct()
        .map(each ->
            find(each, Unit.BLOCKS)
                .orElseThrow(() ->
                    new UserError(
                        "%s: '%s' is not an admission rule; use %s"
                            .formatted(option, each, Unit.BLOCKS.allowed()))))
        .toList();
  }

  /** Returns the rule of a text; empty if it is wrong. */
  public static Optional<AdmissionRule> find(String text, Unit unit) {
    if (text.equals(ALL.text)) {
      return Optional.of(ALL);
    }
    if (text.equals(SECOND_USE.text)) {
      return Optional.of(SECOND_USE);
    }
    try {
      if (text.startsWith(REUSE) && text.endsWith("%")) {
        double percent =
            Double.parseDouble(text.substring(REUSE.length(), text.length() - 1).strip());
        return rule(
            text, percent > 0 && percent <= 100, clock -> new ReuseAdmission(() -> percent / 100));
      }
      if (text.startsWith(BUDGET)) {
        long perDay = unit.parse(text.substring(BUDGET.length()).strip());
        return rule(
            text, perDay >= 1 && perDay <= LARGEST_BUDGET, clock -> new WriteBudget(perDay, clock));
      }
    } catch (NumberFormatException none) {
      // Reported by the caller.
    }
    return Optional.empty();
  }

  private static Optional<AdmissionRule> rule(
      String text, boolean valid, Function<LongSupplier, WriteAdmission> create) {
    return valid ? Optional.of(new AdmissionRule(text, create)) : Optional.empty();
  }

  @Override
  public String toString() {
    return text;
  }
}
