package dev.ebb.testkit;

import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * A sequence for tests. Signals are set by {@link #with}, and only those can be read.
 *
 * @since 1.0.0
 */
public final class TestTokenView implements TokenView {

  private final int layers;
  private final int kvHeads;
  private final int queryHeads;
  private final int headDimension;
  private final int length;
  private final Map<Signal, MemorySegment[]> signals = new EnumMap<>(Signal.class);
  private final long[][][] positions;
  private final float[][] initialStates;
  private long position;
  private Rotation rotation = Rotation.NONE;

  /**
   * Creates a sequence without signals, from which nothing was evicted so far.
   *
   * @param layers at least 1
   * @param kvHeads at least 1
   * @param queryHeads a multiple of {@code kvHeads}
   * @param headDimension at least 1
   * @param length tokens stored, 0 or more
   */
  public TestTokenView(int layers, int kvHeads, int queryHeads, int headDimension, int length) {
    if (layers < 1 || kvHeads < 1 || headDimension < 1 || length < 0 || queryHeads % kvHeads != 0) {
      throw new IllegalArgumentException(
          "every size but the length is at least 1, queryHeads divides by kvHeads");
    }
    this.layers = layers;
    this.kvHeads = kvHeads;
    this.queryHeads = queryHeads;
    this.headDimension = headDimension;
    this.length = length;
    positions = new long[layers][kvHeads][0];
    initialStates = new float[layers][0];
    position = length;
  }

  /**
   * Sets the position of the next token, as after evictions.
   *
   * @param value at least the length
   */
  public TestTokenView position(long value) {
    position = value;
    return this;
  }

  /**
   * Sets a signal of one layer. What a policy writes to {@link Signal#STATE} stays for the next
   * call.
   *
   * @param layer 0 to {@code layers - 1}
   * @param values in the shape that {@link TokenView#signal} documents, row-major
   */
  public TestTokenView with(Signal signal, int layer, float... values) {
    MemorySegment segment = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values);
    signals.computeIfAbsent(signal, s -> new MemorySegment[layers])[layer] =
        signal == Signal.STATE ? segment : segment.asReadOnly();
    if (signal == Signal.STATE) {
      initialStates[layer] = values.clone();
    }
    return this;
  }

  /** Undoes what a policy has written. */
  void resetStates() {
    MemorySegment[] written = signals.get(Signal.STATE);
    for (int layer = 0; written != null && layer < layers; layer++) {
      MemorySegment.copy(
          initialStates[layer],
          0,
          written[layer],
          ValueLayout.JAVA_FLOAT,
          0,
          initialStates[layer].length);
    }
  }

  /**
   * Returns what a policy has written.
   *
   * @return nothing without {@link Signal#STATE}
   */
  float[] state(int layer) {
    MemorySegment[] written = signals.get(Signal.STATE);
    return written == null ? new float[0] : written[layer].toArray(ValueLayout.JAVA_FLOAT);
  }

  /**
   * Sets the positions of the tokens of a KV head; without this they are the newest ones, as if
   * only the oldest were dropped.
   *
   * @param layer 0 to {@code layers - 1}
   * @param kvHead 0 to {@code kvHeads - 1}
   * @param values one for each token, ascending
   * @since 1.4.0
   */
  public TestTokenView positions(int layer, int kvHead, long... values) {
    if (values.length != length) {
      throw new IllegalArgumentException(
          "'%d' positions must be one for each of %d tokens".formatted(values.length, length));
    }
    positions[Objects.checkIndex(layer, layers)][Objects.checkIndex(kvHead, kvHeads)] =
        values.clone();
    return this;
  }

  /** Sets the rotation; without this there is none. */
  public TestTokenView with(Rotation turned) {
    rotation = turned;
    return this;
  }

  @Override
  public int layers() {
    return layers;
  }

  @Override
  public int kvHeads() {
    return kvHeads;
  }

  @Override
  public int queryHeads() {
    return queryHeads;
  }

  @Override
  public int headDimension() {
    return headDimension;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public long position(int layer, int kvHead, int token) {
    Objects.checkIndex(layer, layers);
    Objects.checkIndex(kvHead, kvHeads);
    Objects.checkIndex(token, length);
    long[] known = positions[layer][kvHead];
    return known.length == 0 ? position - length + token : known[token];
  }

  @Override
  public Rotation rotation() {
    if (!signals.containsKey(Signal.QUERY_MEAN) && !signals.containsKey(Signal.QUERY_COVARIANCE)) {
      throw new Violation(Rule.SIGNALS, "the rotation was read without a declared query signal");
    }
    return rotation;
  }

  @Override
  public MemorySegment signal(Signal signal, int layer) {
    Objects.checkIndex(layer, layers);
    MemorySegment[] perLayer = signals.get(signal);
    if (perLayer == null || perLayer[layer] == null) {
      throw new Violation(Rule.SIGNALS, "the signal %s was read undeclared".formatted(signal));
    }
    return perLayer[layer];
  }

  @Override
  public String toString() {
    return "%d tokens, %d layers, %d KV heads, %d query heads of %d"
        .formatted(length, layers, kvHeads, queryHeads, headDimension);
  }
}
