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
}
