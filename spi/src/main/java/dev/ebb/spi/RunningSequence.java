package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * A running sequence that could be preempted, as a {@link PreemptionPolicy} sees it. Valid during
 * the call only. More methods may be added, with defaults.
 *
 * @since 1.2.0
 */
public interface RunningSequence {

  /**
   * Returns its priority; larger is more important, whichever way the engine's clients count.
   *
   * @return as {@link Request#priority()}
   */
  int priority();

  /**
   * Returns its tenant.
   *
   * @return the tenant's name, or null if unknown
   */
  @Nullable String tenant();

  /**
   * Returns the length of its prompt.
   *
   * @return tokens, at least 0
   */
  int promptTokens();

  /**
   * Returns how many tokens it has generated.
   *
   * @return tokens, at least 0
   */
  int outputTokens();

  /**
   * Returns how many of its tokens have K and V in memory.
   *
   * @return tokens, at least 0
   */
  int computedTokens();

  /**
   * Returns how many of them were not computed for it, because they were cached when it was
   * admitted.
   *
   * @return tokens, at least 0
   */
  int cachedTokens();

  /**
   * Returns the place of its admission among all admissions.
   *
   * @return larger is more recent
   */
  long admission();

  /**
   * Returns how often it was preempted before, as far as the host knows.
   *
   * @return at least 0
   */
  default int preemptions() {
    return 0;
  }

  /**
   * Returns how many more tokens it may generate.
   *
   * @return tokens up to the limit of its request; -1 if the host does not know
   * @since 1.7.0
   */
  default int remainingTokens() {
    return -1;
  }

  /**
   * Returns how long it has waited, before its first admission and after each preemption.
   *
   * @return nanoseconds; 0 also if the host does not know
   * @since 1.7.0
   */
  default long waitedNanos() {
    return 0;
  }

  /**
   * Returns the time by which its client needs the whole answer.
   *
   * @return on the context's clock; {@link Long#MAX_VALUE} if it has no deadline
   * @since 1.7.0
   */
  default long deadlineNanos() {
    return Long.MAX_VALUE;
  }

  /**
   * Returns how much memory becomes free if it is preempted. Blocks that others share stay.
   *
   * @return tokens; -1 if the host does not know
   * @since 1.7.0
   */
  default long freedTokens() {
    return -1;
  }
}
