package dev.ebb.host.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A rule of {@code ebb.eviction.rules}: it activates its policy while a condition holds.
 *
 * @param name what the operator calls it
 * @param when what it watches
 * @param of whose, where it goes by a label, or which part of the pool; null otherwise
 * @param bound it begins to hold beyond this: a ratio, bytes or seconds
 * @param clearAt it is over at this, which lies below a bound that is to be exceeded, and above one
 *     that is to be undercut
 * @param sustainedFor how long it has to be so before the rule holds; may be zero
 * @param minHold how long the policy stays active at least; may be zero
 * @param policy what the rule activates
 */
public record RuleConfig(
    String name,
    RuleSignal when,
    @Nullable String of,
    double bound,
    double clearAt,
    Duration sustainedFor,
    Duration minHold,
    Choice policy) {

  /**
   * Whether another says the same, wherever it stands in the file.
   *
   * @param other the other
   * @return false if anything differs but the line
   */
  public boolean isLike(RuleConfig other) {
    return policy.name().equals(other.policy.name()) && equals(other.with(policy));
  }

  private RuleConfig with(Choice other) {
    return new RuleConfig(name, when, of, bound, clearAt, sustainedFor, minHold, other);
  }

  /**
   * Where its policy stands, for messages.
   *
   * @return such as {@code ebb.eviction.rules[tight].policy}
   */
  public String policyPath() {
    return "ebb.eviction.rules[%s].policy".formatted(name);
  }

  /**
   * On which side of the bound the rule begins to hold.
   *
   * @return true for above
   */
  public boolean above() {
    return clearAt < bound;
  }

  /**
   * What it watches, in words.
   *
   * @return such as {@code occupancy} or {@code model-share of llama-3}
   */
  public String subject() {
    return of == null ? when.word() : when.word() + " of " + of;
  }

  /**
   * When it begins to hold, in words.
   *
   * @return such as {@code occupancy above 96.0 %}
   */
  public String condition() {
    return "%s %s %s".formatted(subject(), above() ? "above" : "below", when.text(bound));
  }
}
