package dev.ebb.llama.signals;

import static java.util.Objects.requireNonNull;

import dev.ebb.llama.binding.KvCells;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A token policy's view of a sequence in a context's cells: tokens in order of position. */
public final class CellView implements TokenView {

  private final ModelShape shape;
  private final @Nullable CellSignals signals;
  private final Set<Signal> declared;
  private final float[][] states;
  private @Nullable KvCells cells;
  private int[] order = {};
  private int length;
  private long position;

  /** Creates an empty view; without signals the policy can read none. */
  public CellView(ModelShape shape, @Nullable CellSignals signals, Set<Signal> declared) {
    this.shape = shape;
    this.signals = signals;
    this.declared = Set.copyOf(declared);
    states = new float[shape.layers()][0];
  }

  /** Shows one moment, with the next token's logical position. */
  public void show(KvCells cells, long next) {
    this.cells = cells;
    order = cells.inOrder(order);
    length = cells.used();
    position = next;
    Arrays.fill(states, new float[0]);
  }

  /** Keeps the state that the policy has written since {@link #show}. */
  public void saveState() {
    int size = signals == null ? 1 : signals.stateSize();
    for (int layer = 0; layer < states.length; layer++) {
      for (int i = 0; i < states[layer].length && signals != null; i++) {
        int token = i / size;
        signals.state(
            layer, (token / length) * size + i % size, order[token % length], states[layer][i]);
      }
    }
    Arrays.fill(states, new float[0]);
  }

  public int cell(int token) {
    return order[token];
  }

  @Override
  public int layers() {
    return shape.layers();
  }

  @Override
  public int kvHeads() {
    return shape.kvHeads();
  }

  @Override
  public int queryHeads() {
    return shape.queryHeads();
  }

  @Override
  public int headDimension() {
    return shape.headDimension();
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
    Objects.checkIndex(layer, shape.layers());
    Objects.checkIndex(kvHead, shape.kvHeads());
    return requireNonNull(cells, "nothing is shown")
        .position(order[Objects.checkIndex(token, length)]);
  }

  @Override
  public MemorySegment signal(Signal signal, int layer) {
    if (signals == null || !declared.contains(signal)) {
      throw new IllegalStateException("the policy did not declare " + signal);
    }
    Objects.checkIndex(layer, shape.layers());
    float[] numbers =
        switch (signal) {
          case WINDOW_ATTENTION -> window(signals, layer);
          case ACCUMULATED_ATTENTION -> accumulated(signals, layer);
          case KEY_NORM -> keyNorms(signals, layer);
          case KEYS -> keys(signals, layer);
          case KEY_MEAN -> keyMean(signals, layer);
          case STATE -> state(signals, layer);
          case VALUE_NORM, VALUES, QUERY_MEAN, QUERY_COVARIANCE ->
              throw new IllegalStateException(signal + " is not gathered");
        };
    MemorySegment shown = MemorySegment.ofArray(numbers);
    return signal == Signal.STATE ? shown : shown.asReadOnly();
  }

  private float[] state(CellSignals from, int layer) {
    if (states[layer].length == 0) {
      int size = from.stateSize();
      states[layer] = new float[shape.kvHeads() * length * size];
      for (int i = 0; i < states[layer].length; i++) {
        int token = i / size;
        states[layer][i] =
            from.state(layer, (token / length) * size + i % size, order[token % length]);
      }
    }
    return states[layer];
  }

  private float[] window(CellSignals from, int layer) {
    int width = Math.min(from.window(), length);
    long oldest = from.queriesSeen(layer) - width;
    float[] out = new float[shape.queryHeads() * width * length];
    int at = 0;
    for (int head = 0; head < shape.queryHeads(); head++) {
      for (int query = 0; query < width; query++) {
        for (int token = 0; token < length; token++) {
          int cell = order[token];
          out[at++] = from.paid(layer, oldest + query, head, cell);
        }
      }
    }
    return out;
  }

  private float[] accumulated(CellSignals from, int layer) {
    float[] out = new float[shape.kvHeads() * length];
    int at = 0;
    for (int head = 0; head < shape.kvHeads(); head++) {
      for (int token = 0; token < length; token++) {
        int cell = order[token];
        out[at++] = from.accumulated(layer, head, cell);
      }
    }
    return out;
  }

  private float[] keys(CellSignals from, int layer) {
    int size = shape.headDimension();
    float[] out = new float[shape.kvHeads() * length * size];
    int at = 0;
    for (int head = 0; head < shape.kvHeads(); head++) {
      for (int token = 0; token < length; token++) {
        int cell = order[token];
        from.key(layer, head, cell, out, at);
        at += size;
      }
    }
    return out;
  }

  private float[] keyNorms(CellSignals from, int layer) {
    int size = shape.headDimension();
    float[] keys = keys(from, layer);
    float[] out = new float[keys.length / size];
    for (int i = 0; i < out.length; i++) {
      out[i] = norm(keys, i * size, size);
    }
    return out;
  }

  /** Computes the mean over the current tokens. */
  private float[] keyMean(CellSignals from, int layer) {
    int size = shape.headDimension();
    float[] keys = keys(from, layer);
    float[] out = new float[shape.kvHeads() * size];
    for (int i = 0; i < shape.kvHeads() * length; i++) {
      float norm = Math.max(norm(keys, i * size, size), Float.MIN_NORMAL);
      int head = i / length;
      for (int dim = 0; dim < size; dim++) {
        out[head * size + dim] += keys[i * size + dim] / norm / length;
      }
    }
    return out;
  }

  private static float norm(float[] keys, int at, int size) {
    double sum = 0;
    for (int dim = 0; dim < size; dim++) {
      sum += (double) keys[at + dim] * keys[at + dim];
    }
    return (float) Math.sqrt(sum);
  }
}
