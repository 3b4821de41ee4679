package dev.ebb.host.config;

import dev.ebb.host.config.hocon.UntrustedHocon;
import dev.ebb.host.errors.UserError;
import java.math.BigDecimal;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A policy that runs beside the active one, as written in an option: {@code sieve}, {@code lru@2x}
 * with twice the memory, {@code active@0.5x} for the active policy with half of it.
 *
 * @param display the text of the user, for tables
 * @param memory how many times the memory of the live cache it has
 */
public record ShadowSpec(String display, PolicySpec policy, double memory) {

  private static final Pattern MEMORY = Pattern.compile("(.*)@([^@]*)", Pattern.DOTALL);
  private static final Pattern TIMES = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,3})?)x");
  private static final BigDecimal LEAST = new BigDecimal("0.1");
  private static final BigDecimal MOST = new BigDecimal("16");
  private static final String ACTIVE = "active";

  /**
   * Parses one specification.
   *
   * @param option what messages start with; empty if the caller adds it
   * @throws UserError if its syntax is wrong
   */
  public static ShadowSpec parse(String text, String option) {
    Matcher parts = MEMORY.matcher(text.strip());
    // An @ inside parentheses belongs to a setting.
    if (!parts.matches() || parts.group(2).indexOf(')') >= 0) {
      PolicySpec policy = PolicySpec.parse(text, option);
      if (policy.display().equals(ACTIVE)) {
        throw new UserError(
            "%s'active' needs other memory than the pool's, such as 'active@2x'"
                .formatted(UntrustedHocon.place(option)));
      }
      return new ShadowSpec(policy.display(), policy, 1);
    }
    Matcher times = TIMES.matcher(parts.group(2));
    BigDecimal memory = times.matches() ? new BigDecimal(times.group(1)) : BigDecimal.ZERO;
    boolean allowed = memory.compareTo(LEAST) >= 0 && memory.compareTo(MOST) <= 0;
    if (!allowed || memory.compareTo(BigDecimal.ONE) == 0) {
      throw new UserError(
          "%s'%s' must end with how many times the pool's memory it has, from @0.1x to @16x other than @1x, such as 'lru@2x'"
              .formatted(UntrustedHocon.place(option), text.strip()));
    }
    return of(PolicySpec.parse(parts.group(1), option), memory);
  }

  private static ShadowSpec of(PolicySpec policy, BigDecimal memory) {
    return new ShadowSpec(
        "%s@%sx".formatted(policy.display(), memory.stripTrailingZeros().toPlainString()),
        policy,
        memory.doubleValue());
  }

  /**
   * Parses a list of specifications, separated by commas outside parentheses.
   *
   * @throws UserError if the syntax of one is wrong
   */
  public static List<ShadowSpec> parseList(String text, String option) {
    return PolicySpec.parseList(text, option, each -> parse(each, option));
  }

  /** Returns the policies that some name; {@code active} names none. */
  public static List<PolicySpec> named(List<ShadowSpec> specs) {
    return specs.stream().filter(each -> !each.isActive()).map(ShadowSpec::policy).toList();
  }

  /** Returns whether it is the active policy with other memory, whichever that is. */
  public boolean isActive() {
    return memory != 1 && policy.display().equals(ACTIVE);
  }

  /** Returns a factor without zeros at its end: {@code 2} or {@code 0.5}. */
  public static String factor(double memory) {
    return BigDecimal.valueOf(memory).stripTrailingZeros().toPlainString();
  }

  /** Returns its text with the name of the active policy. */
  public String withActive(String active) {
    return isActive() ? active + display.substring(ACTIVE.length()) : display;
  }
}
