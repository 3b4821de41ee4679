package dev.ebb.host.signals;

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
 */
public record SignalNeeds(Set<Signal> signals, int window) {

  /** Takes a copy. */
  public SignalNeeds {
    signals = Set.copyOf(signals);
  }

  /**
   * What several policies need together.
   *
   * @param policies the policies
   * @return all signals, and the widest window
   */
  public static SignalNeeds of(Collection<? extends TokenPolicy> policies) {
    EnumSet<Signal> signals = EnumSet.noneOf(Signal.class);
    int window = 1;
    for (TokenPolicy policy : policies) {
      signals.addAll(policy.signals());
      if (policy.signals().contains(Signal.WINDOW_ATTENTION)) {
        window = Math.max(window, policy.window());
      }
    }
    return new SignalNeeds(signals, window);
  }
}
