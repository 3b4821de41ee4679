package dev.ebb.host.rules;

import dev.ebb.host.config.rules.RuleConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the active rule: the first one that holds. An active rule stays active for at least its
 * minimum hold time, unless its policy cannot be activated. This class only decides. Not
 * thread-safe.
 */
final class RuleBook {

  private List<RuleState> states = List.of();
  private @Nullable RuleState active;
  private long since;

  /** Replaces the rules. Rules that were configured before keep their state. */
  void set(List<RuleConfig> rules) {
    List<RuleState> next = new ArrayList<>();
    for (RuleConfig rule : rules) {
      next.add(
          states.stream()
              .filter(state -> state.rule().isLike(rule))
              .findFirst()
              .orElseGet(() -> new RuleState(rule)));
    }
    states = List.copyOf(next);
  }

  List<RuleState> states() {
    return states;
  }

  List<RuleConfig> rules() {
    return states.stream().map(RuleState::rule).toList();
  }

  void read(Readings readings, long nanos) {
    readings.take(rules());
    states.forEach(state -> state.read(readings.of(state.rule()), nanos));
  }

  /** Returns the rule that should be active now; null for none. */
  @Nullable RuleState winner(Predicate<RuleState> able, long nanos) {
    RuleState now = active;
    boolean stays =
        now != null
            && states.contains(now)
            && able.test(now)
            && nanos - since < now.rule().minHold().toNanos();
    return stays
        ? now
        : states.stream()
            .filter(state -> state.holds() && able.test(state))
            .findFirst()
            .orElse(null);
  }

  @Nullable RuleState active() {
    return active;
  }

  void active(@Nullable RuleState rule, long nanos) {
    active = rule;
    since = nanos;
  }
}
