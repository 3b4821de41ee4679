package dev.ebb.llama.signals;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.ebb.host.errors.UserError;
import dev.ebb.llama.binding.AttentionWatch;
import dev.ebb.llama.binding.KvCells;
import dev.ebb.llama.binding.ModelShape;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The signals of one sequence, each only if it is needed. Indices are KV cells: {@link #forget}
 * drops those of a token, and the cell starts again with the next one.
 */
public final class CellSignals implements AttentionWatch {

  /** llama.cpp creates somewhat more cells than requested. */
  private static final int SPARE_CELLS = 256;

  private static final Set<Signal> NOT_GATHERED =
      EnumSet.of(Signal.VALUE_NORM, Signal.VALUES, Signal.QUERY_MEAN, Signal.QUERY_COVARIANCE);

  private final ModelShape shape;
  private final int capacity;
  private final int window;
  private final int stateSize;
  private final float @Nullable [][] accumulated;
  private final float @Nullable [][] rows;
  private final float @Nullable [][] keys;
  private final float @Nullable [][] states;
  private final long[] queriesSeen;
  private final float[][] arrived;
  private float[] scratch = new float[0];

  /**
   * Creates room for the signals.
   *
   * @param window how many of the newest queries' attention rows to keep, at least 1
   * @param stateSize numbers of a cell's state, at least 1
   * @throws UserError if the heap is too small for them
   */
  public CellSignals(ModelShape shape, int cells, Set<Signal> needs, int window, int stateSize) {
    this.shape = shape;
    this.stateSize = stateSize;
    this.capacity = cells + SPARE_CELLS;
    this.window = window;
    boolean wantsKeys =
        needs.contains(Signal.KEYS)
            || needs.contains(Signal.KEY_NORM)
            || needs.contains(Signal.KEY_MEAN);
    int heads = shape.kvHeads();
    int sums = needs.contains(Signal.ACCUMULATED_ATTENTION) ? heads : 0;
    long paid = needs.contains(Signal.WINDOW_ATTENTION) ? (long) window * shape.queryHeads() : 0;
    int elements = wantsKeys ? heads * shape.headDimension() : 0;
    int numbers = needs.contains(Signal.STATE) ? heads * stateSize : 0;
    long perCell = (long) sums + paid + elements + numbers;
    requireHeap(perCell * capacity * shape.layers() * Float.BYTES, perCell * capacity);
    this.accumulated = perCell(sums);
    this.rows = perCell((int) paid);
    this.keys = perCell(elements);
    this.states = perCell(numbers);
    this.queriesSeen = new long[shape.layers()];
    this.arrived = new float[shape.layers()][0];
  }

  /** Returns room for some numbers of each cell, by layer; null if there are none. */
  private float @Nullable [][] perCell(int numbers) {
    return numbers == 0 ? null : new float[shape.layers()][numbers * capacity];
  }

  /**
   * Creates room for the signals of a policy.
   *
   * @return null if it reads nothing, so that nothing watches the computation
   * @throws UserError if the heap is too small, or it reads signals that are not available
   */
  public static @Nullable CellSignals of(ModelShape shape, int cells, TokenPolicy policy) {
    Set<Signal> needs = policy.signals();
    Set<Signal> lacking = EnumSet.copyOf(NOT_GATHERED);
    lacking.retainAll(needs);
    if (!lacking.isEmpty()) {
      throw new UserError(
          "the token policy needs %s, which llama.cpp does not provide; use another, such as snapkv or keydiff"
              .formatted(lacking));
    }
    int window = needs.contains(Signal.WINDOW_ATTENTION) ? policy.window() : 1;
    return needs.isEmpty()
        ? null
        : new CellSignals(shape, cells, needs, window, policy.stateSize());
  }

  private static void requireHeap(long bytes, long largestArray) {
    long heap = Runtime.getRuntime().maxMemory();
    if (bytes > heap / 4 * 3 || largestArray > Integer.MAX_VALUE - 8) {
      throw new UserError(
          "the signals of the policy take %,d MiB, but the heap has %,d MiB; set more with EBB_JAVA_OPTS=-Xmx..., or use a smaller --context"
              .formatted(bytes >> 20, heap >> 20));
    }
  }

  @Override
  public boolean wantsKeys() {
    return keys != null;
  }

  @Override
  public void attention(int layer, MemorySegment paid, int heads, int queries, int cells) {
    requireShape(layer, heads == shape.queryHeads() && cells <= capacity);
    if (scratch.length < cells) {
      scratch = new float[capacity];
    }
    int group = heads / shape.kvHeads();
    int keep = Math.min(window, queries);
    for (int head = 0; head < heads; head++) {
      for (int query = 0; query < queries; query++) {
        boolean kept = rows != null && query >= queries - keep;
        if (accumulated == null && !kept) {
          continue;
        }
        long start = ((long) head * queries + query) * cells;
        MemorySegment.copy(paid, JAVA_FLOAT, start * Float.BYTES, scratch, 0, cells);
        if (accumulated != null) {
          add(accumulated[layer], head / group * capacity, cells);
        }
        if (rows != null && kept) {
          int slot = (int) ((queriesSeen[layer] + query) % window);
          int at = (slot * heads + head) * capacity;
          System.arraycopy(scratch, 0, rows[layer], at, cells);
          Arrays.fill(rows[layer], at + cells, at + capacity, 0);
        }
      }
    }
    queriesSeen[layer] += queries;
  }

  private void add(float[] sums, int at, int cells) {
    for (int cell = 0; cell < cells; cell++) {
      sums[at + cell] += scratch[cell];
    }
  }

  @Override
  public void keys(int layer, MemorySegment fresh, int tokens, int kvHeads, int headDimension) {
    requireShape(layer, kvHeads == shape.kvHeads() && headDimension == shape.headDimension());
    arrived[layer] = fresh.toArray(JAVA_FLOAT);
  }

  private void requireShape(int layer, boolean fits) {
    if (layer >= shape.layers() || !fits) {
      throw new UserError(
          "the layers of this model, of the architecture '%s', differ; use a policy that needs no signals, such as sliding-window"
              .formatted(shape.architecture()));
    }
  }

  /**
   * Stores the keys of a computed batch.
   *
   * @param position the logical position of the batch's first token
   * @throws UserError if the model did not show its keys
   */
  public void stored(KvCells cells, int position, int tokens) {
    if (keys == null) {
      return;
    }
    int size = shape.kvHeads() * shape.headDimension();
    for (int layer = 0; layer < keys.length; layer++) {
      if (arrived[layer].length != tokens * size) {
        throw new UserError(
            "this model, of the architecture '%s', does not show its keys; use a policy that needs none, such as sliding-window or h2o"
                .formatted(shape.architecture()));
      }
      for (int cell = 0; cell < cells.count(); cell++) {
        int token = cells.position(cell) - position;
        if (token >= 0 && token < tokens) {
          System.arraycopy(arrived[layer], token * size, keys[layer], cell * size, size);
        }
      }
      arrived[layer] = new float[0];
    }
  }

  /** Drops the signals of a dropped token. */
  public void forget(int cell) {
    clear(accumulated, cell);
    clear(rows, cell);
    clear(states, cell);
  }

  private void clear(float @Nullable [][] layers, int cell) {
    for (int layer = 0; layers != null && layer < layers.length; layer++) {
      for (int at = cell; at < layers[layer].length; at += capacity) {
        layers[layer][at] = 0;
      }
    }
  }

  int window() {
    return window;
  }

  long queriesSeen(int layer) {
    return queriesSeen[layer];
  }

  /** Returns the attention that a cell received over a KV head. */
  float accumulated(int layer, int kvHead, int cell) {
    return accumulated == null ? Float.NaN : accumulated[layer][kvHead * capacity + cell];
  }

  int stateSize() {
    return stateSize;
  }

  /** Returns a number that the policy wrote for a cell, at a place of all KV heads. */
  float state(int layer, int place, int cell) {
    return states == null ? Float.NaN : states[layer][place * capacity + cell];
  }

  void state(int layer, int place, int cell, float value) {
    if (states != null) {
      states[layer][place * capacity + cell] = value;
    }
  }

  /** Returns the attention that a query, counted from the first ever, paid to a cell. */
  float paid(int layer, long query, int head, int cell) {
    int slot = (int) (query % window);
    return rows == null
        ? Float.NaN
        : rows[layer][(slot * shape.queryHeads() + head) * capacity + cell];
  }

  void key(int layer, int kvHead, int cell, float[] to, int at) {
    if (keys != null) {
      int size = shape.headDimension();
      System.arraycopy(keys[layer], (cell * shape.kvHeads() + kvHead) * size, to, at, size);
    }
  }
}
