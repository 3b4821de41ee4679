package dev.ebb.host.rules;

import dev.ebb.host.config.rules.RuleConfig;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of one rule. A rule starts to hold once its bound has been exceeded without a break for
 * long enough. It stops holding at its clear bound. Between the two bounds, and while the value is
 * unknown, its state does not change.
 */
final class RuleState {

  private final RuleConfig rule;
  private double reading = Double.NaN;
  private boolean beyond;
  private long beyondSince;
  private boolean holds;
  private @Nullable String refusal;
  private long refusedAt;
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
    holds = nanos - beyondSince >= rule.sustainedFor().toNanos();
  }

  private boolean isBeyond(double value) {
    return rule.above() ? value > rule.bound() : value < rule.bound();
  }

  private boolean isOver(double value) {
    return rule.above() ? value <= rule.clearAt() : value >= rule.clearAt();
  }

  double reading() {
    return reading;
  }

  boolean holds() {
    return holds;
  }

  /**
   * Returns how long the value has exceeded the bound without a break; null if it does not. While
   * the rule holds, the time counts from the start of that period.
   */
  @Nullable Duration beyondFor(long nanos) {
    return beyond ? Duration.ofNanos(nanos - beyondSince) : null;
  }

  /**
   * Records that the rule's policy could not be activated. The policy is retried when the rule
   * starts to hold again, or after a change that may have fixed the cause.
   */
  void refused(String reason, long changes) {
    refusal = reason;
    refusedAt = changes;
  }

  /** Clears a refusal that is older than the given number of changes. */
  void rearm(long changes) {
    if (changes != refusedAt) {
      refusal = null;
    }
  }

  @Nullable String refusal() {
    return refusal;
  }

  void activate() {
    switches++;
  }

  long switches() {
    return switches;
  }

  String why() {
    return "%s: %s %s, %s %s"
        .formatted(
            rule.name(),
            rule.subject(),
            text(reading),
            rule.above() ? "above" : "below",
            text(rule.bound()));
  }

  String endReason() {
    return "%s is over: %s %s, until %s"
        .formatted(rule.name(), rule.subject(), text(reading), text(rule.clearAt()));
  }

  private String text(double value) {
    return Double.isNaN(value) ? "unknown" : rule.when().text(value);
  }
}
