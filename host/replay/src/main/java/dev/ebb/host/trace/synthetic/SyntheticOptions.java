package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceException;

/**
 * The options of a synthetic trace. A shape ignores those it does not need. Setters return this,
 * and throw {@link TraceException} for an invalid value.
 */
public final class SyntheticOptions {

  private long requests = 10_000;
  private long seed = 1;
  private int blockTokens = 16;
  private double requestsPerSecond = 10;
  private int tenants = 8;
  private int users = Integer.MAX_VALUE;
  private double turns = 5;
  private int documents = 10_000;
  private int objects = 100_000;
  private double skew = 0.9;
  private int blocksPerRequest = 1;

  /** Creates the defaults: 10,000 requests at 10 a second, 16 tokens a block, seed 1. */
  public SyntheticOptions() {}

  /**
   * Sets how many requests the trace has.
   *
   * @param value 1 or more
   */
  public SyntheticOptions requests(long value) {
    requests = atLeast("requests", value, 1);
    return this;
  }

  /** Sets the seed of the random numbers: equal options and seed, equal trace. */
  public SyntheticOptions seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Sets the size of a block.
   *
   * @param value tokens, 1 or more
   */
  public SyntheticOptions blockTokens(int value) {
    blockTokens = (int) atLeast("block tokens", value, 1);
    return this;
  }

  /**
   * Sets the average number of requests a second.
   *
   * @param value more than 0
   */
  public SyntheticOptions requestsPerSecond(double value) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new TraceException("requests per second is '%s', must be more than 0".formatted(value));
    }
    requestsPerSecond = value;
    return this;
  }

  /**
   * Sets how many tenants share the cache, each with its own system prompt. Chat, agent, rag.
   *
   * @param value 1 or more
   */
  public SyntheticOptions tenants(int value) {
    tenants = (int) atLeast("tenants", value, 1);
    return this;
  }

  /**
   * Sets how many conversations there are at the same time. When one ends, another begins. Chat,
   * agent; an agent's helpers come on top.
   *
   * @param value 1 or more; by default as many as {@link #requestsPerSecond} leads to
   */
  public SyntheticOptions users(int value) {
    users = (int) atLeast("users", value, 1);
    return this;
  }

  /**
   * Sets the average number of turns of a conversation that has more than one. Chat; an agent's
   * task has three times as many steps.
   *
   * @param value 1 or more
   */
  public SyntheticOptions turns(double value) {
    if (!(value >= 1) || Double.isInfinite(value)) {
      throw new TraceException("turns is '%s', must be at least 1".formatted(value));
    }
    turns = value;
    return this;
  }

  /**
   * Sets the number of documents. Rag.
   *
   * @param value 1 or more
   */
  public SyntheticOptions documents(int value) {
    documents = (int) atLeast("documents", value, 1);
    return this;
  }

  /**
   * Sets the number of different blocks. Zipf.
   *
   * @param value 1 or more
   */
  public SyntheticOptions objects(int value) {
    objects = (int) atLeast("objects", value, 1);
    return this;
  }

  /**
   * Sets the skew of popularity: the k-th most popular is requested in proportion to 1 / k^skew.
   *
   * @param value 0 (even) or more
   */
  public SyntheticOptions skew(double value) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new TraceException("skew is '%s', must be at least 0".formatted(value));
    }
    skew = value;
    return this;
  }

  /**
   * Sets how many blocks a request has, drawn one by one. Zipf.
   *
   * @param value 1 or more
   */
  public SyntheticOptions blocksPerRequest(int value) {
    blocksPerRequest = (int) atLeast("blocks per request", value, 1);
    return this;
  }

  long requests() {
    return requests;
  }

  long seed() {
    return seed;
  }

  int blockTokens() {
    return blockTokens;
  }

  double requestsPerSecond() {
    return requestsPerSecond;
  }

  int tenants() {
    return tenants;
  }

  int users() {
    return users;
  }

  double turns() {
    return turns;
  }

  int documents() {
    return documents;
  }

  int objects() {
    return objects;
  }

  double skew() {
    return skew;
  }

  int blocksPerRequest() {
    return blocksPerRequest;
  }

  private static long atLeast(String name, long value, long least) {
    if (value < least) {
      throw new TraceException("%s is '%d', must be at least %d".formatted(name, value, least));
    }
    return value;
  }
}
