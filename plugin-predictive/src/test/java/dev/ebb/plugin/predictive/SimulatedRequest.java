package dev.ebb.plugin.predictive;

import dev.ebb.spi.Request;
import org.jspecify.annotations.Nullable;

/** A request of a trace, as a policy is told of it. */
final class SimulatedRequest implements Request {

  long nanos;
  long[] chain = {};
  int matched;
  long outputTokens = -1;
  int hint;
  @Nullable String workload;

  @Override
  public int blocks() {
    return chain.length;
  }

  @Override
  public int matched() {
    return matched;
  }

  @Override
  public long fingerprint(int index) {
    return chain[index];
  }

  @Override
  public long inputTokens() {
    return -1;
  }

  @Override
  public long outputTokens() {
    return outputTokens;
  }

  @Override
  public long sequenceId() {
    return -1;
  }

  @Override
  public int turn() {
    return -1;
  }

  @Override
  public int priority() {
    return 1;
  }

  @Override
  public @Nullable String tenant() {
    return null;
  }

  @Override
  public @Nullable String workload() {
    return workload;
  }

  @Override
  public int hint() {
    return hint;
  }
}
