package dev.ebb.host.cli;

import dev.ebb.host.config.RuleSignal;
import dev.ebb.host.units.TimeSpan;
import java.util.ArrayList;
import java.util.List;

/** Rules for a terminal. */
final class RuleLines {

  /** What to do about rules that an operator's choice has paused. */
  static final String PAUSED =
      "the rules are paused; 'ebb policy rules resume' lets them decide again";

  private RuleLines() {}

  /** The lines for the document of {@code GET /api/v1/policy/rules}. */
  static List<String> of(Fields document) {
    List<Fields> rules = document.list("/rules");
    if (rules.isEmpty()) {
      return List.of("no rule is configured; ebb.eviction.rules is the place for some");
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
        .filter(rule -> rule.has("/refusal"))
        .map(rule -> rule.text("/name") + ": " + rule.text("/refusal"))
        .forEach(lines::add);
    lines.addAll(decides(document, rules));
    return lines;
  }

  private static List<String> cells(Fields rule) {
    boolean above = rule.has("/above");
    String of = rule.has("/of") ? " of " + rule.text("/of") : "";
    return List.of(
        rule.flag("/active") ? "*" : "",
        rule.text("/name"),
        "%s%s %s %s"
            .formatted(
                rule.text("/when"),
                of,
                above ? "above" : "below",
                value(rule, above ? "/above" : "/below")),
        value(rule, "/now"),
        value(rule, "/clearAt"),
        time(rule, "/sustainedForSeconds"),
        time(rule, "/minHoldSeconds"),
        rule.text("/policy"),
        rule.count("/switches"));
  }

  /** With its unit, if this release knows what the rule watches. */
  private static String value(Fields rule, String pointer) {
    double value = rule.number(pointer);
    return Double.isNaN(value)
        ? Fields.UNKNOWN
        : RuleSignal.of(rule.raw("/when"))
            .map(signal -> signal.text(value))
            .orElse(rule.decimal(pointer));
  }

  private static String time(Fields rule, String pointer) {
    return TimeSpan.format(rule.number(pointer));
  }

  private static List<String> decides(Fields document, List<Fields> rules) {
    String policy = document.text("/policy");
    if (document.flag("/paused")) {
      return List.of("%s is active; %s".formatted(policy, PAUSED));
    }
    if (document.has("/active")) {
      return List.of(
          "* has activated %s, else %s would be".formatted(policy, document.text("/configured")));
    }
    List<String> lines = new ArrayList<>();
    rules.stream()
        .filter(rule -> rule.has("/beyondSeconds"))
        .map(RuleLines::waits)
        .forEach(lines::add);
    lines.add((lines.isEmpty() ? "no rule holds; " : "") + policy + " is active");
    return lines;
  }

  /** Why a rule whose condition is met does not decide. */
  private static String waits(Fields rule) {
    if (!rule.flag("/holds")) {
      // It is looked at once a second.
      double beyond = Math.rint(rule.number("/beyondSeconds"));
      double left = Math.max(0, rule.number("/sustainedForSeconds") - beyond);
      return "%s: %s its bound for %s, holds if it is so for %s more"
          .formatted(
              rule.text("/name"),
              rule.has("/above") ? "above" : "below",
              TimeSpan.format(beyond),
              TimeSpan.format(left));
    }
    return rule.has("/refusal")
        ? "%s: holds, and is passed over".formatted(rule.text("/name"))
        : "%s: holds, and decides within a second".formatted(rule.text("/name"));
  }
}
