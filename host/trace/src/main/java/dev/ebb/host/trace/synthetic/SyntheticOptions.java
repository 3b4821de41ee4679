package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceException;

/**
 * The options of a synthetic trace. A shape ignores those it does not need. Setters return this,
 * and throw {@link TraceException} for an invalid value.
 */
public final class SyntheticOptions {

  long requests = 10_000;
  long seed = 1;
  int blockTokens = 16;
  double requestsPerSecond = 10;
  int tenants = 8;
  int users = Integer.MAX_VALUE;
  double turns = 5;
  int documents = 10_000;
  int objects = 100_000;
  double skew = 0.9;
  int blocksPerRequest = 1;

  /** Creates the defaults: 10,000 requests at 10 a second, 16 tokens a block, seed 1. */
  public SyntheticOptions() {}

  /** Sets how many requests the trace has, 1 or more. */
  public SyntheticOptions requests(long value) {
    requests = atLeast("requests", value, 1);
    return this;
  }

  /** Sets the seed of the random numbers: equal options and seed, equal trace. */
  public SyntheticOptions seed(long value) {
    seed = value;
    return this;
  }

  /** Sets the tokens of a block, 1 or more. */
  public SyntheticOptions blockTokens(int value) {
    blockTokens = (int) atLeast("block tokens", value, 1);
    return this;
  }

  /** Sets the average number of requests a second, more than 0. */
  public SyntheticOptions requestsPerSecond(double value) {
    requestsPerSecond =
        checked(value > 0, "requests per second is '%s', must be more than 0", value);
    return this;
  }

  /** Sets how many tenants share the cache, each with its own system prompt. Not zipf. */
  public SyntheticOptions tenants(int value) {
    tenants = (int) atLeast("tenants", value, 1);
    return this;
  }

  /**
   * Sets how many conversations there are at the same time. When one ends, another begins. Chat,
   * agent, fork; branches come on top. By default as many as {@link #requestsPerSecond} leads to.
   */
  public SyntheticOptions users(int value) {
    users = (int) atLeast("users", value, 1);
    return this;
  }

  /**
   * Sets the average number of turns of a conversation that has more than one, 1 or more. Chat,
   * fork; an agent's task has three times as many steps.
   */
  public SyntheticOptions turns(double value) {
    turns = checked(value >= 1, "turns is '%s', must be at least 1", value);
    return this;
  }

  /** Sets the number of documents, 1 or more. Rag. */
  public SyntheticOptions documents(int value) {
    documents = (int) atLeast("documents", value, 1);
    return this;
  }

  /** Sets the number of different blocks, 1 or more. Zipf. */
  public SyntheticOptions objects(int value) {
    objects = (int) atLeast("objects", value, 1);
    return this;
  }

  /**
   * Sets the skew of popularity, 0 (even) or more: the k-th most popular is requested in proportion
   * to 1 / k^skew.
   */
  public SyntheticOptions skew(double value) {
    skew = checked(value >= 0, "skew is '%s', must be at least 0", value);
    return this;
  }

  /** Sets how many blocks a request has, drawn one by one, 1 or more. Zipf. */
  public SyntheticOptions blocksPerRequest(int value) {
    blocksPerRequest = (int) atLeast("blocks per request", value, 1);
    return this;
  }

  private static long atLeast(String name, long value, long least) {
    if (value < least) {
      throw new TraceException("%s is '%d', must be at least %d".formatted(name, value, least));
    }
    return value;
  }

  private static double checked(boolean allowed, String message, double value) {
    if (!allowed || Double.isInfinite(value)) {
      throw new TraceException(message.formatted(value));
    }
    return value;
  }
}
