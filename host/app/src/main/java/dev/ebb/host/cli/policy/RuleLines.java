package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.RulesDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.config.rules.RuleSignal;
import dev.ebb.host.units.TimeSpan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules for a terminal. */
public final class RuleLines {

  /** The remedy for rules that an operator's choice has paused. */
  public static final String PAUSED =
      "the rules are paused; 'ebb policy rules resume' resumes them";

  private RuleLines() {}

  /** The lines for the document of {@code GET /api/v1/policy/rules}. */
  static List<String> of(RulesDocument document) {
    List<RulesDocument.Rule> rules = document.rules();
    if (rules.isEmpty()) {
      return List.of("no rule is configured; add rules under ebb.eviction.rules");
    }
    TextTable table =
        new TextTable(
            " ",
            "RULE",
            "WHEN",
            ">NOW",
            ">CLEAR AT",
            ">SUSTAINED FOR",
            ">MIN HOLD",
            "POLICY",
            ">SWITCHES");
    rules.forEach(rule -> table.add(cells(rule)));
    List<String> lines = new ArrayList<>(table.lines());
    rules.stream()
        .filter(rule -> rule.refusal() != null)
        .map(rule -> Format.text(rule.name()) + ": " + Format.text(rule.refusal()))
        .forEach(lines::add);
    lines.addAll(decides(document, rules));
    return lines;
  }

  private static List<String> cells(RulesDocument.Rule rule) {
    boolean above = rule.above() != null;
    String of = rule.of() != null ? " of " + Format.text(rule.of()) : "";
    return List.of(
        rule.active() ? "*" : "",
        Format.text(rule.name()),
        "%s%s %s %s"
            .formatted(
                Format.text(rule.when()),
                of,
                above ? "above" : "below",
                value(rule, above ? rule.above() : rule.below())),
        value(rule, rule.now()),
        value(rule, rule.clearAt()),
        TimeSpan.format(rule.sustainedForSeconds()),
        TimeSpan.format(rule.minHoldSeconds()),
        Format.text(rule.policy()),
        Format.count(rule.switches()));
  }

  /** With its unit, if this release knows what the rule watches. */
  private static String value(RulesDocument.Rule rule, @Nullable Double value) {
    return value == null
        ? Format.UNKNOWN
        : RuleSignal.of(rule.when())
            .map(signal -> signal.text(value))
            .orElse(Format.decimal(value));
  }

  private static List<String> decides(RulesDocument document, List<RulesDocument.Rule> rules) {
    String policy = Format.text(document.policy());
    if (document.paused()) {
      return List.of("%s is active; %s".formatted(policy, PAUSED));
    }
    if (document.active() != null) {
      return List.of(
          "* activated %s; the configured policy is %s"
              .formatted(policy, Format.text(document.configured())));
    }
    List<String> lines = new ArrayList<>();
    rules.stream()
        .map(rule -> rule.beyondSeconds() == null ? "" : waits(rule, rule.beyondSeconds()))
        .filter(line -> !line.isEmpty())
        .forEach(lines::add);
    lines.add((lines.isEmpty() ? "no rule holds; " : "") + policy + " is active");
    return lines;
  }

  /** Why a rule whose condition is met does not decide. */
  private static String waits(RulesDocument.Rule rule, double seconds) {
    if (!rule.holds()) {
      // Ebb evaluates rules once a second.
      double beyond = Math.rint(seconds);
      double left = Math.max(0, rule.sustainedForSeconds() - beyond);
      return "%s: %s its bound for %s, holds after %s more"
          .formatted(
              Format.text(rule.name()),
              rule.above() != null ? "above" : "below",
              TimeSpan.format(beyond),
              TimeSpan.format(left));
    }
    return rule.refusal() != null
        ? "%s: holds, but another rule takes precedence".formatted(Format.text(rule.name()))
        : "%s: holds, and decides within a second".formatted(Format.text(rule.name()));
  }
}
