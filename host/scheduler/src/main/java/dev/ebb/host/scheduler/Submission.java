package dev.ebb.host.scheduler;

import org.jspecify.annotations.Nullable;

/**
 * A request as a client submits it.
 *
 * @param payload the engine's data for it, such as the prompt
 * @param promptTokens the prompt's length, at least 1
 * @param maxOutputTokens the largest number of tokens to generate, at least 1
 * @param priority its priority; {@link SchedulerOptions#smallerFirst} says which way it counts
 * @param tenant the tenant's name; null if unknown. Requests without a name are one tenant
 * @param deadlineNanos the time by which the client needs the whole answer, for preemption
 *     policies; {@link Long#MAX_VALUE} for none
 */
public record Submission<P>(
    P payload,
    int promptTokens,
    int maxOutputTokens,
    int priority,
    @Nullable String tenant,
    long deadlineNanos) {

  /** Creates a submission without a deadline. */
  public Submission(
      P payload, int promptTokens, int maxOutputTokens, int priority, @Nullable String tenant) {
    this(payload, promptTokens, maxOutputTokens, priority, tenant, Long.MAX_VALUE);
  }

  public Submission {
    requireAtLeastOne("prompt tokens", promptTokens);
    requireAtLeastOne("max output tokens", maxOutputTokens);
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("%s '%d' must be at least 1".formatted(name, value));
    }
  }

  /** Returns the most tokens that it needs memory for: nothing is computed from its last one. */
  long mostTokens() {
    return (long) promptTokens + maxOutputTokens - 1;
  }
}
