package dev.ebb.testkit;

import org.jspecify.annotations.Nullable;

/**
 * The caller's attributes, shared by entries and requests; unknown until they are set.
 *
 * @param <S> the entry or request, which every setter returns
 */
abstract sealed class Caller<S extends Caller<S>> permits TestEntry, TestRequest {

  private long sequenceId = -1;
  private int turn = -1;
  private int priority = 1;
  private @Nullable String tenant;
  private @Nullable String workload;
  private int hint;
  private long lifetimeHintNanos = -1;
  private double recomputeCost = Double.NaN;

  Caller() {}

  /** Returns this, if it may still be read. */
  abstract S live();

  abstract S self();

  final void callFor(Caller<?> other) {
    sequenceId = other.sequenceId;
    turn = other.turn;
    priority = other.priority;
    tenant = other.tenant;
    workload = other.workload;
    hint = other.hint;
    lifetimeHintNanos = other.lifetimeHintNanos;
    recomputeCost = other.recomputeCost;
  }

  /**
   * Sets the sequence.
   *
   * @param value an opaque id, -1 if unknown
   */
  public S sequenceId(long value) {
    sequenceId = value;
    return self();
  }

  /**
   * Sets the turn of the sequence.
   *
   * @param value from 1, -1 if unknown
   */
  public S turn(int value) {
    turn = value;
    return self();
  }

  public S priority(int value) {
    priority = value;
    return self();
  }

  /**
   * Sets the tenant.
   *
   * @param value the tenant, null if unknown
   */
  public S tenant(@Nullable String value) {
    tenant = value;
    return self();
  }

  /**
   * Sets the kind of work.
   *
   * @param value the label, null if unknown
   */
  public S workload(@Nullable String value) {
    workload = value;
    return self();
  }

  /**
   * Sets the caller's hint.
   *
   * @param value 0 if none
   */
  public S hint(int value) {
    hint = value;
    return self();
  }

  /**
   * Sets the client's own estimate of how long blocks will be useful.
   *
   * @param value nanoseconds, -1 if none
   */
  public S lifetimeHintNanos(long value) {
    lifetimeHintNanos = value;
    return self();
  }

  /**
   * Sets the cost of computing an entry again.
   *
   * @param value milliseconds, NaN if unknown
   */
  public S recomputeCost(double value) {
    recomputeCost = value;
    return self();
  }

  public long sequenceId() {
    live();
    return sequenceId;
  }

  public int turn() {
    live();
    return turn;
  }

  public int priority() {
    live();
    return priority;
  }

  public @Nullable String tenant() {
    live();
    return tenant;
  }

  public @Nullable String workload() {
    live();
    return workload;
  }

  public int hint() {
    live();
    return hint;
  }

  public long lifetimeHintNanos() {
    live();
    return lifetimeHintNanos;
  }

  public double recomputeCost() {
    live();
    return recomputeCost;
  }
}
