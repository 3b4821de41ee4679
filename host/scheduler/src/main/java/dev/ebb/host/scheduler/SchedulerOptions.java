package dev.ebb.host.scheduler;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The limits of a {@link Scheduler}.
 *
 * @param maxRunning the most requests that run at a time, at least 1
 * @param maxBatchedTokens the most tokens of one step, at least {@code maxRunning}, so that every
 *     running request can decode in each step
 * @param maxQueued the most requests that wait for their first admission, at least 1
 * @param queueTimeout the longest wait for the first admission
 * @param smallerFirst whether a smaller priority is more urgent, as in vLLM
 * @param starvationAfter the wait after which a less urgent request takes one of four admissions
 * @param tenantQuantum the tokens by which the deficit of each tenant grows in a round, at least 1
 */
public record SchedulerOptions(
    int maxRunning,
    int maxBatchedTokens,
    int maxQueued,
    Duration queueTimeout,
    boolean smallerFirst,
    Duration starvationAfter,
    int tenantQuantum) {

  /** 256 running and 1,024 queued requests, 2,048 tokens a step; a larger priority is first. */
  public static final SchedulerOptions DEFAULTS =
      new SchedulerOptions(
          256, 2_048, 1_024, Duration.ofSeconds(60), false, Duration.ofSeconds(10), 1_024);

  public SchedulerOptions {
    requireAtLeast("max-running", maxRunning, 1);
    requireAtLeast("max-batched-tokens", maxBatchedTokens, maxRunning);
    requireAtLeast("max-queued", maxQueued, 1);
    requirePositive("queue-timeout", queueTimeout);
    requirePositive("starvation-after", starvationAfter);
    requireAtLeast("tenant-quantum", tenantQuantum, 1);
  }

  private static void requireAtLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(
          "%s '%d' must be at least %d".formatted(name, value, least));
    }
  }

  private static void requirePositive(String name, Duration value) {
    requireNonNull(value, () -> name + " is null");
    if (!value.isPositive()) {
      throw new IllegalArgumentException("%s '%s' must be positive".formatted(name, value));
    }
  }

  /** Returns the urgency of a priority: larger is more urgent. */
  long urgency(int priority) {
    return smallerFirst ? -(long) priority : priority;
  }
}
