package dev.ebb.host.scheduler;

import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.RunningSequence;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The preemption policies of Ebb. */
public enum PreemptionRules implements PreemptionPolicy {

  /** Preempts the least important sequence. */
  LOWEST_PRIORITY,

  /** Preempts the sequence with the fewest output tokens, then with the fewest computed ones. */
  LEAST_PROGRESS,

  /** Preempts the sequence with the fewest tokens that were computed and not cached. */
  CHEAPEST_TO_RECOMPUTE;

  /** Returns the name in the configuration. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the policy of a name in the configuration. */
  public static Optional<PreemptionRules> of(String id) {
    return Arrays.stream(values()).filter(rule -> rule.id().equals(id)).findFirst();
  }

  @Override
  public int compare(RunningSequence first, RunningSequence second) {
    return switch (this) {
      case LOWEST_PRIORITY -> Integer.compare(first.priority(), second.priority());
      case LEAST_PROGRESS -> compareProgress(first, second);
      case CHEAPEST_TO_RECOMPUTE -> Integer.compare(cost(first), cost(second));
    };
  }

  private static int compareProgress(RunningSequence first, RunningSequence second) {
    int order = Integer.compare(first.outputTokens(), second.outputTokens());
    return order != 0 ? order : Integer.compare(first.computedTokens(), second.computedTokens());
  }

  private static int cost(RunningSequence sequence) {
    return Math.max(0, sequence.computedTokens() - sequence.cachedTokens());
  }
}
