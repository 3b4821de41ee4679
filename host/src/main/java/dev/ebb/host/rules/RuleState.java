package dev.ebb.host.rules;

import dev.ebb.host.config.RuleConfig;
import org.jspecify.annotations.Nullable;

/**
 * Whether a rule holds. It begins once its bound has been exceeded long enough without a break, and
 * ends at a bound of its own; in between, and while nothing is known, it stays as it is.
 */
final class RuleState {

  private final RuleConfig rule;
  private double reading = Double.NaN;
  private boolean beyond;
  private long beyondSince;
  private boolean holds;
  private @Nullable String refusal;
  private long switches;

  RuleState(RuleConfig rule) {
    this.rule = rule;
  }

  RuleConfig rule() {
    return rule;
  }

  void read(double value, long nanos) {
    reading = value;
    if (holds) {
      if (isOver(value)) {
        holds = false;
        beyond = false;
        refusal = null;
      }
      return;
    }
    if (!isBeyond(value)) {
      beyond = false;
      return;
    }
    if (!beyond) {
      beyond = true;
      beyondSince = nanos;
    }
    holds = nanos - beyondSince >= rule.hold().toNanos();
  }

  private boolean isBeyond(double value) {
    return rule.above() ? value > rule.bound() : value < rule.bound();
  }

  private boolean isOver(double value) {
    return rule.above() ? value <= rule.until() : value >= rule.until();
  }

  double reading() {
    return reading;
  }

  boolean holds() {
    return holds;
  }

  /** Its policy could not be put in force: it is not tried again before the rule is over. */
  void refused(String reason) {
    refusal = reason;
  }

  @Nullable String refusal() {
    return refusal;
  }

  void putInForce() {
    switches++;
  }

  /** How often it has put its policy in force. */
  long switches() {
    return switches;
  }

  /** Why it begins. */
  String why() {
    return "%s: %s %s, %s %s"
        .formatted(
            rule.name(),
            rule.subject(),
            text(reading),
            rule.above() ? "above" : "below",
            text(rule.bound()));
  }

  /** Why it ends. */
  String whyNot() {
    return "%s is over: %s %s, until %s"
        .formatted(rule.name(), rule.subject(), text(reading), text(rule.until()));
  }

  private String text(double value) {
    return Double.isNaN(value) ? "unknown" : rule.when().text(value);
  }
}
