package dev.ebb.host.cache.policy;

import java.time.Duration;

/**
 * When a policy on its own thread evicts ahead of demand, and how long requests wait for it.
 *
 * @param threshold the share of the capacity above which it starts, 0 to 1; at 1 it never does
 * @param target the share at which it stops, 0 to {@code threshold}
 * @param deadline how long a policy may make no progress while a request waits, above zero
 */
public record EvictionLimits(double threshold, double target, Duration deadline) {

  public EvictionLimits {
    if (!(threshold >= 0 && threshold <= 1 && target >= 0 && target <= threshold)) {
      throw new IllegalArgumentException(
          "threshold is %s and target %s, must be 0 <= target <= threshold <= 1"
              .formatted(threshold, target));
    }
    if (!deadline.isPositive()) {
      throw new IllegalArgumentException("deadline is " + deadline + ", must be above zero");
    }
  }
}
