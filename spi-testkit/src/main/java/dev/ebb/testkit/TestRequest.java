package dev.ebb.testkit;

import dev.ebb.spi.Request;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for tests, freely adjustable: {@code TestRequest.of(11, 12, 13).matched(2)}.
 *
 * @since 1.0.0
 */
public final class TestRequest extends Caller<TestRequest> implements Request {

  private long[] fingerprints;
  private int matched;
  private long inputTokens = -1;
  private long outputTokens = -1;
  private List<TestRequest> waiting = List.of();

  private TestRequest(long[] fingerprints) {
    this.fingerprints = fingerprints;
  }

  /**
   * Returns a request none of whose blocks is resident, of normal priority and with nothing else
   * known.
   *
   * @param fingerprints the chain, first block first
   */
  public static TestRequest of(long... fingerprints) {
    return new TestRequest(fingerprints.clone());
  }

  /** Becomes another request, as in a host that reuses one object; null leaves an empty one. */
  void become(@Nullable TestRequest other) {
    TestRequest source = other == null ? of() : other;
    fingerprints = source.fingerprints;
    callFor(source);
    matched = source.matched;
    inputTokens = source.inputTokens;
    outputTokens = source.outputTokens;
  }

  /** Lends copies of the requests that wait behind another one. */
  void lendWaiting(TestRequest other) {
    waiting =
        other.waiting.stream()
            .map(each -> {
              TestRequest copy = of();
              copy.become(each);
              return copy;
            })
            .toList();
  }

  /** Empties what was lent, as in a host that reuses the objects for other requests. */
  void takeWaitingBack() {
    waiting.forEach(each -> each.become(null));
    waiting = List.of();
  }

  /**
   * Sets the requests that wait behind it.
   *
   * @param requests next first
   * @since 1.4.0
   */
  public TestRequest waitingBehind(TestRequest... requests) {
    waiting = Stream.of(requests).toList();
    return this;
  }

  /**
   * Sets how many leading blocks are resident.
   *
   * @param value 0 to the number of blocks
   */
  public TestRequest matched(int value) {
    matched = value;
    return this;
  }

  /**
   * Sets the length of the prompt.
   *
   * @param value tokens, -1 if unknown
   */
  public TestRequest inputTokens(long value) {
    inputTokens = value;
    return this;
  }

  /**
   * Sets the length of the answer.
   *
   * @param value tokens, -1 if unknown
   */
  public TestRequest outputTokens(long value) {
    outputTokens = value;
    return this;
  }

  @Override
  TestRequest live() {
    return this;
  }

  @Override
  TestRequest self() {
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
  public int waiting() {
    return waiting.size();
  }

  @Override
  public TestRequest waiting(int index) {
    return waiting.get(index);
  }
}
