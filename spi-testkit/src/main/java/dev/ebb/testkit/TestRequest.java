package dev.ebb.testkit;

import dev.ebb.spi.Request;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for tests, adjusted at will: {@code TestRequest.of(11, 12, 13).matched(2)}.
 *
 * @since 0.1.0
 */
public final class TestRequest implements Request {

  private long[] fingerprints;
  private int matched;
  private long inputTokens = -1;
  private long outputTokens = -1;
  private long sequenceId = -1;
  private int turn = -1;
  private int priority = 1;
  private @Nullable String tenant;
  private @Nullable String workload;
  private int hint;

  private TestRequest(long[] fingerprints) {
    this.fingerprints = fingerprints;
  }

  /**
   * A request none of whose blocks is resident, of normal priority and with nothing else known.
   *
   * @param fingerprints the chain, first block first
   * @return a new request
   */
  public static TestRequest of(long... fingerprints) {
    return new TestRequest(fingerprints.clone());
  }

  /** Becomes another request, as a host does that reuses one object; null leaves an empty one. */
  void become(@Nullable TestRequest other) {
    TestRequest source = other == null ? of() : other;
    fingerprints = source.fingerprints;
    matched = source.matched;
    inputTokens = source.inputTokens;
    outputTokens = source.outputTokens;
    sequenceId = source.sequenceId;
    turn = source.turn;
    priority = source.priority;
    tenant = source.tenant;
    workload = source.workload;
    hint = source.hint;
  }

  /**
   * Sets how many leading blocks are resident.
   *
   * @param value 0 to the number of blocks
   * @return this
   */
  public TestRequest matched(int value) {
    matched = value;
    return this;
  }

  /**
   * Sets the length of the prompt.
   *
   * @param value tokens, -1 if unknown
   * @return this
   */
  public TestRequest inputTokens(long value) {
    inputTokens = value;
    return this;
  }

  /**
   * Sets the length of the answer.
   *
   * @param value tokens, -1 if unknown
   * @return this
   */
  public TestRequest outputTokens(long value) {
    outputTokens = value;
    return this;
  }

  /**
   * Sets the sequence.
   *
   * @param value an opaque id, -1 if unknown
   * @return this
   */
  public TestRequest sequenceId(long value) {
    sequenceId = value;
    return this;
  }

  /**
   * Sets the turn of the sequence.
   *
   * @param value from 1, -1 if unknown
   * @return this
   */
  public TestRequest turn(int value) {
    turn = value;
    return this;
  }

  /**
   * Sets the importance.
   *
   * @param value larger is more important
   * @return this
   */
  public TestRequest priority(int value) {
    priority = value;
    return this;
  }

  /**
   * Sets who asks.
   *
   * @param value the tenant, null if unknown
   * @return this
   */
  public TestRequest tenant(@Nullable String value) {
    tenant = value;
    return this;
  }

  /**
   * Sets the kind of work.
   *
   * @param value the label, null if unknown
   * @return this
   */
  public TestRequest workload(@Nullable String value) {
    workload = value;
    return this;
  }

  /**
   * Sets the caller's hint.
   *
   * @param value 0 if none
   * @return this
   */
  public TestRequest hint(int value) {
    hint = value;
    return this;
  }

  @Override
  public int blocks() {
    return fingerprints.length;
  }

  @Override
  public long fingerprint(int index) {
    return fingerprints[Objects.checkIndex(index, fingerprints.length)];
  }

  @Override
  public int matched() {
    return matched;
  }

  @Override
  public long inputTokens() {
    return inputTokens;
  }

  @Override
  public long outputTokens() {
    return outputTokens;
  }

  @Override
  public long sequenceId() {
    return sequenceId;
  }

  @Override
  public int turn() {
    return turn;
  }

  @Override
  public int priority() {
    return priority;
  }

  @Override
  public @Nullable String tenant() {
    return tenant;
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
