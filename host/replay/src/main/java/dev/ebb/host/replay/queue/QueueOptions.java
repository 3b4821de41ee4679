package dev.ebb.host.replay.queue;

import dev.ebb.host.errors.UserError;
import java.time.Duration;

/**
 * The model of an engine.
 *
 * @param memoryTokens the tokens that its KV memory has room for, at least {@link #BLOCK_TOKENS}
 * @param tokensPerSecond how many tokens it computes in a second, besides the time of a step
 * @param step the time of a step, whatever it computes
 * @param deadline the time from its arrival by which a request should be answered
 */
public record QueueOptions(
    long memoryTokens, double tokensPerSecond, Duration step, Duration deadline) {

  /** Tokens of a block of KV memory. */
  public static final int BLOCK_TOKENS = 16;

  public QueueOptions {
    if (memoryTokens < BLOCK_TOKENS || memoryTokens > (long) Integer.MAX_VALUE * BLOCK_TOKENS) {
      throw new UserError(
          "--scheduler: '%d' must be the tokens of a KV memory, from %d to %d"
              .formatted(memoryTokens, BLOCK_TOKENS, (long) Integer.MAX_VALUE * BLOCK_TOKENS));
    }
  }

  int blocks() {
    return (int) (memoryTokens / BLOCK_TOKENS);
  }

  /** Returns the nanoseconds of a step. */
  long stepNanos(int tokens) {
    return step.toNanos() + Math.round(tokens * 1e9 / tokensPerSecond);
  }
}
