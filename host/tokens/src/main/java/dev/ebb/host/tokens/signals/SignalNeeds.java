package dev.ebb.host.tokens.signals;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * What is to be kept of each sequence for its token policies.
 *
 * @param signals the signals that any of them reads
 * @param window queries that window attention covers, at least 1
 * @param skippedQueries queries at a text's beginning that mean and covariance leave out
 */
public record SignalNeeds(Set<Signal> signals, int window, int skippedQueries) {

  /** Nothing is to be kept. */
  public static final SignalNeeds NOTHING = new SignalNeeds(Set.of(), 1, 0);

  /** Takes a copy. */
  public SignalNeeds {
    signals = Set.copyOf(signals);
  }

  /**
   * What several policies need together.
   *
   * @param policies the policies
   * @return all signals, the widest window, and the most queries that any leaves out
   */
  public static SignalNeeds of(Collection<? extends TokenPolicy> policies) {
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
    return new SignalNeeds(signals, window, skipped);
  }

  /** Whether mean or covariance of the queries are to be kept. */
  boolean ofQueries() {
    return ofQueries(signals);
  }

  /** Whether what is kept of the queries does for other needs, too. */
  boolean sameOfQueries(SignalNeeds other) {
    return skippedQueries == other.skippedQueries && covariance() == other.covariance();
  }

  /** Whether the covariance of the queries is to be kept. */
  boolean covariance() {
    return signals.contains(Signal.QUERY_COVARIANCE);
  }

  static boolean ofQueries(Set<Signal> signals) {
    return signals.contains(Signal.QUERY_MEAN) || signals.contains(Signal.QUERY_COVARIANCE);
  }
}
