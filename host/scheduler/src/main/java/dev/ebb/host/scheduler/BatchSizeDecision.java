package dev.ebb.host.scheduler;

/**
 * A decision about the number of requests that run at a time.
 *
 * @param limit the new limit, at least 1
 */
public record BatchSizeDecision(BatchObservation seen, int limit, String reason) {

  public BatchSizeDecision {
    if (limit < 1) {
      throw new IllegalArgumentException("limit '%d' must be at least 1".formatted(limit));
    }
  }

  /** Returns whether it changes the limit. */
  public boolean isChange() {
    return limit != seen.limit();
  }

  @Override
  public String toString() {
    return isChange()
        ? "%d -> %d: %s".formatted(seen.limit(), limit, reason)
        : "%d: %s".formatted(limit, reason);
  }
}
