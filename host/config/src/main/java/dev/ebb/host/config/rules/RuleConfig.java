package dev.ebb.host.config.rules;

import dev.ebb.host.config.key.Choice;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A rule of {@code ebb.eviction.rules}: it activates its policy while a condition holds.
 *
 * @param name the operator's name for it
 * @param of the label, or the part of the pool; null otherwise
 * @param bound it begins to hold beyond this: a count, ratio, bytes or seconds
 * @param clearAt it clears at this, which is below an upper bound and above a lower one
 * @param sustainedFor how long the signal must be beyond the bound; may be zero
 * @param minHold how long the policy stays active at least; may be zero
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

  /** Returns whether another rule is the same, apart from its line in the file. */
  public boolean isLike(RuleConfig other) {
    return policy.name().equals(other.policy.name()) && equals(other.with(policy));
  }

  private RuleConfig with(Choice other) {
    return new RuleConfig(name, when, of, bound, clearAt, sustainedFor, minHold, other);
  }

  /** Returns the path of its policy, such as {@code ebb.eviction.rules[tight].policy}. */
  public String policyPath() {
    return "ebb.eviction.rules[%s].policy".formatted(name);
  }

  /** Returns whether the rule holds above its bound rather than below. */
  public boolean above() {
    return clearAt < bound;
  }

  /** Returns its signal, such as {@code occupancy} or {@code model-share of llama-3}. */
  public String subject() {
    return of == null ? when.word() : when.word() + " of " + of;
  }
}
