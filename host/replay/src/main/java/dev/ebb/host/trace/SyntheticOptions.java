package dev.ebb.host.trace;

/**
 * What a synthetic trace is made of. A shape uses what it has a use for. Setters return this, and
 * throw {@link TraceException} for a value that cannot be.
 */
public final class SyntheticOptions {

  private long requests = 10_000;
  private long seed = 1;
  private int blockTokens = 16;
  private double requestsPerSecond = 10;
  private int tenants = 8;
  private double turns = 5;
  private int documents = 10_000;
  private int objects = 100_000;
  private double skew = 0.9;
  private int blocksPerRequest = 1;

  /** The defaults: 10,000 requests at 10 a second, 16 tokens a block, seed 1. */
  public SyntheticOptions() {}

  /**
   * Sets how many requests the trace has.
   *
   * @param value 1 or more
   * @return this
   */
  public SyntheticOptions requests(long value) {
    requests = atLeast("requests", value, 1);
    return this;
  }

  /**
   * Sets where the random numbers start: equal options and seed, equal trace.
   *
   * @param value any number
   * @return this
   */
  public SyntheticOptions seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Sets the size of a block.
   *
   * @param value tokens, 1 or more
   * @return this
   */
  public SyntheticOptions blockTokens(int value) {
    blockTokens = (int) atLeast("block tokens", value, 1);
    return this;
  }

  /**
   * Sets how many requests arrive in a second, in the long run.
   *
   * @param value more than 0
   * @return this
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
   * @return this
   */
  public SyntheticOptions tenants(int value) {
    tenants = (int) atLeast("tenants", value, 1);
    return this;
  }

  /**
   * Sets how many turns a conversation has on average, if it has more than one. Chat; an agent's
   * task has three times as many steps.
   *
   * @param value 1 or more
   * @return this
   */
  public SyntheticOptions turns(double value) {
    if (!(value >= 1) || Double.isInfinite(value)) {
      throw new TraceException("turns is '%s', must be at least 1".formatted(value));
    }
    turns = value;
    return this;
  }

  /**
   * Sets how many documents there are to retrieve. Rag.
   *
   * @param value 1 or more
   * @return this
   */
  public SyntheticOptions documents(int value) {
    documents = (int) atLeast("documents", value, 1);
    return this;
  }

  /**
   * Sets how many different blocks there are. Zipf.
   *
   * @param value 1 or more
   * @return this
   */
  public SyntheticOptions objects(int value) {
    objects = (int) atLeast("objects", value, 1);
    return this;
  }

  /**
   * Sets how uneven popularity is: the k-th most popular is asked for in proportion to 1 / k^skew.
   *
   * @param value 0 (even) or more
   * @return this
   */
  public SyntheticOptions skew(double value) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new TraceException("skew is '%s', must be at least 0".formatted(value));
    }
    skew = value;
    return this;
  }

  /**
   * Sets how many blocks a request asks for, drawn one by one. Zipf.
   *
   * @param value 1 or more
   * @return this
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
