package dev.ebb.host.tokens.signals;

import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * The signals to keep of each sequence for its token policies.
 *
 * @param signals the signals that any of them reads
 * @param window queries that window attention covers, at least 1
 * @param skippedQueries queries at a text's beginning that mean and covariance leave out
 */
public record SignalNeeds(Set<Signal> signals, int window, int skippedQueries) {

  public static final SignalNeeds NOTHING = new SignalNeeds(Set.of(), 1, 0);

  public SignalNeeds {
    signals = Set.copyOf(signals);
  }

  /** Returns the combined needs of several policies and their budgets. */
  public static SignalNeeds of(
      Collection<? extends TokenPolicy> policies, Collection<? extends TokenBudget> budgets) {
    EnumSet<Signal> signals = EnumSet.noneOf(Signal.class);
    int window = 1;
    int skipped = 0;
    for (TokenPolicy policy : policies) {
      signals.addAll(policy.signals());
      if (policy.signals().contains(Signal.WINDOW_ATTENTION)) {
        window = Math.max(window, policy.window());
      }
      if (ofQueries(policy.signals())) {
        skipped = Math.max(skipped, policy.skippedQueries());
      }
    }
    for (TokenBudget budget : budgets) {
      signals.addAll(budget.signals());
      if (budget.signals().contains(Signal.WINDOW_ATTENTION)) {
        window = Math.max(window, budget.window());
      }
    }
    return new SignalNeeds(signals, window, skipped);
  }

  /** Returns whether the mean or covariance of the queries is kept. */
  boolean ofQueries() {
    return ofQueries(signals);
  }

  /** Returns whether the record of the queries also suffices for other needs. */
  boolean sameOfQueries(SignalNeeds other) {
    return skippedQueries == other.skippedQueries && covariance() == other.covariance();
  }

  /** Returns whether the covariance of the queries is kept. */
  boolean covariance() {
    return signals.contains(Signal.QUERY_COVARIANCE);
  }

  static boolean ofQueries(Set<Signal> signals) {
    return signals.contains(Signal.QUERY_MEAN) || signals.contains(Signal.QUERY_COVARIANCE);
  }
}
