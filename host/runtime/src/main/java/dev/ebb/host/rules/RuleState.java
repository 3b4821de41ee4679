package dev.ebb.host.rules;

import dev.ebb.host.config.RuleConfig;
import java.time.Duration;
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
   * Returns how long, as of a time, it has been beyond its bound without a break, or once it holds,
   * since that began; null if it is not.
   */
  @Nullable Duration beyondFor(long nanos) {
    return beyond ? Duration.ofNanos(nanos - beyondSince) : null;
  }

  /**
   * Its policy could not be activated. It is not tried again before the rule is over, or something
   * has changed that it may have failed for.
   */
  void refused(String reason, long changes) {
    refusal = reason;
    refusedAt = changes;
  }

  /** Forgets a refusal of before the last of so many changes. */
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

  String whyNot() {
    return "%s is over: %s %s, until %s"
        .formatted(rule.name(), rule.subject(), text(reading), text(rule.clearAt()));
  }

  private String text(double value) {
    return Double.isNaN(value) ? "unknown" : rule.when().text(value);
  }
}
