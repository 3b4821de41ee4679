package dev.ebb.spi.sim;

import org.jspecify.annotations.Nullable;

/** The caller of entries and requests. Everything is unknown until a test sets it. */
public abstract class SimCaller {

  public long sequenceId = -1;
  public int turn = -1;
  public int priority = 1;
  public @Nullable String tenant;
  public @Nullable String workload;
  public int hint;

  SimCaller() {}

  /** Becomes the same caller as another. */
  final void callFor(SimCaller other) {
    sequenceId = other.sequenceId;
    turn = other.turn;
    priority = other.priority;
    tenant = other.tenant;
    workload = other.workload;
    hint = other.hint;
  }

  public long sequenceId() {
    return sequenceId;
  }

  public int turn() {
    return turn;
  }

  public int priority() {
    return priority;
  }

  public @Nullable String tenant() {
    return tenant;
  }

  public @Nullable String workload() {
    return workload;
  }

  public int hint() {
    return hint;
  }
}
