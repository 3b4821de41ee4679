package dev.ebb.testkit;

import org.jspecify.annotations.Nullable;

/**
 * Who asks, as entries and requests tell it alike; nothing is known until it is set.
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

  Caller() {}

  /** This, if it may still be read. */
  abstract S live();

  /** This, as what it is. */
  abstract S self();

  final void callFor(Caller<?> other) {
    sequenceId = other.sequenceId;
    turn = other.turn;
    priority = other.priority;
    tenant = other.tenant;
    workload = other.workload;
    hint = other.hint;
  }

  /**
   * Sets the sequence.
   *
   * @param value an opaque id, -1 if unknown
   * @return this
   */
  public S sequenceId(long value) {
    sequenceId = value;
    return self();
  }

  /**
   * Sets the turn of the sequence.
   *
   * @param value from 1, -1 if unknown
   * @return this
   */
  public S turn(int value) {
    turn = value;
    return self();
  }

  /**
   * Sets the importance.
   *
   * @param value larger is more important
   * @return this
   */
  public S priority(int value) {
    priority = value;
    return self();
  }

  /**
   * Sets who asks.
   *
   * @param value the tenant, null if unknown
   * @return this
   */
  public S tenant(@Nullable String value) {
    tenant = value;
    return self();
  }

  /**
   * Sets the kind of work.
   *
   * @param value the label, null if unknown
   * @return this
   */
  public S workload(@Nullable String value) {
    workload = value;
    return self();
  }

  /**
   * Sets the caller's hint.
   *
   * @param value 0 if none
   * @return this
   */
  public S hint(int value) {
    hint = value;
    return self();
  }

  /** As the contract has it. */
  public long sequenceId() {
    live();
    return sequenceId;
  }

  /** As the contract has it. */
  public int turn() {
    live();
    return turn;
  }

  /** As the contract has it. */
  public int priority() {
    live();
    return priority;
  }

  /** As the contract has it. */
  public @Nullable String tenant() {
    live();
    return tenant;
  }

  /** As the contract has it. */
  public @Nullable String workload() {
    live();
    return workload;
  }

  /** As the contract has it. */
  public int hint() {
    live();
    return hint;
  }
}
