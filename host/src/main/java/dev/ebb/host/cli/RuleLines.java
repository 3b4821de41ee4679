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
            " ", "RULE", "WHEN", ">NOW", ">UNTIL", ">FOR", ">STAY", "POLICY", ">SWITCHES");
    rules.forEach(rule -> table.add(cells(rule)));
    List<String> lines = new ArrayList<>(table.lines());
    rules.stream()
        .filter(rule -> rule.has("/refusal"))
        .map(rule -> rule.text("/name") + ": " + rule.text("/refusal"))
        .forEach(lines::add);
    lines.add(decides(document));
    return lines;
  }

  private static List<String> cells(Fields rule) {
    boolean above = rule.has("/above");
    String of = rule.has("/of") ? " of " + rule.text("/of") : "";
    return List.of(
        rule.flag("/inForce") ? "*" : "",
        rule.text("/name"),
        "%s%s %s %s"
            .formatted(
                rule.text("/when"),
                of,
                above ? "above" : "below",
                value(rule, above ? "/above" : "/below")),
        value(rule, "/now"),
        value(rule, "/until"),
        time(rule, "/forSeconds"),
        time(rule, "/staySeconds"),
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

  private static String decides(Fields document) {
    String policy = document.text("/policy");
    if (document.flag("/paused")) {
      return "%s is in force; %s".formatted(policy, PAUSED);
    }
    return document.has("/inForce")
        ? "* has put %s in force, else %s would be".formatted(policy, document.text("/configured"))
        : "no rule holds; %s is in force".formatted(policy);
  }
}
