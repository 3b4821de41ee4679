package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.RulesDocument;
import dev.ebb.host.config.rules.RuleSignal;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.Format;
import dev.ebb.host.units.TimeSpan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rules for a terminal. */
public final class RuleLines {

  /** The remedy for rules that an operator's choice has paused. */
  public static final String PAUSED =
      "the rules are paused; 'ebb policy rules resume' resumes them";

  private static final Columns<RulesDocument.Rule> RULES =
      Columns.of(
          RulesDocument.Rule.class,
          """
           | [{?active}*]
          RULE | {name}
          WHEN | {when}[ of {of}] {side} {bound}
          >NOW | {current}
          >CLEAR AT | {clear}
          >SUSTAINED FOR | {sustainedForSeconds:seconds}
          >MIN HOLD | {minHoldSeconds:seconds}
          POLICY | {policy}
          >SWITCHES | {switches:count}
          """,
          new Computed<>("side", RuleLines::side),
          new Computed<>(
              "bound", rule -> value(rule, rule.above() != null ? rule.above() : rule.below())),
          new Computed<>("current", rule -> value(rule, rule.now())),
          new Computed<>("clear", rule -> value(rule, rule.clearAt())));

  private RuleLines() {}

  private static String side(RulesDocument.Rule rule) {
    return rule.above() != null ? "above" : "below";
  }

  /** The lines for the document of {@code GET /api/v1/policy/rules}. */
  static List<String> of(RulesDocument document) {
    List<RulesDocument.Rule> rules = document.rules();
    if (rules.isEmpty()) {
      return List.of("no rule is configured; add rules under ebb.eviction.rules");
    }
    List<String> lines = new ArrayList<>(RULES.lines(rules));
    rules.stream()
        .filter(rule -> rule.refusal() != null)
        .map(rule -> Format.text(rule.name()) + ": " + Format.text(rule.refusal()))
        .forEach(lines::add);
    lines.addAll(decides(document, rules));
    return lines;
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
              Format.text(rule.name()), side(rule), TimeSpan.format(beyond), TimeSpan.format(left));
    }
    return rule.refusal() != null
        ? "%s: holds, but another rule takes precedence".formatted(Format.text(rule.name()))
        : "%s: holds, and decides within a second".formatted(Format.text(rule.name()));
  }
}
