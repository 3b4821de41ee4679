package dev.ebb.host.scheduler;

/** The rules of Ebb for preemption. Among equals, the most recently admitted request is first. */
public enum PreemptionRules implements PreemptionRule {
  /** Preempts the least urgent request. */
  LOWEST_PRIORITY,

  /** Preempts the request with the fewest output tokens, then with the fewest computed ones. */
  LEAST_PROGRESS,

  /** Preempts the request with the fewest tokens that were computed and not matched. */
  CHEAPEST_TO_RECOMPUTE;

  @Override
  public int compare(ScheduledRequest<?> first, ScheduledRequest<?> second) {
    int order =
        switch (this) {
          case LOWEST_PRIORITY -> first.compareUrgency(second);
          case LEAST_PROGRESS -> compareProgress(first, second);
          case CHEAPEST_TO_RECOMPUTE -> Integer.compare(cost(first), cost(second));
        };
    return order != 0 ? order : Long.compare(second.admission(), first.admission());
  }

  private static int compareProgress(ScheduledRequest<?> first, ScheduledRequest<?> second) {
    int order = Integer.compare(first.outputTokens(), second.outputTokens());
    return order != 0 ? order : Integer.compare(first.computedTokens(), second.computedTokens());
  }

  private static int cost(ScheduledRequest<?> request) {
    return Math.max(0, request.computedTokens() - request.matchedTokens());
  }
}
