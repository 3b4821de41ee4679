package dev.ebb.host.tokens.signals;

import static java.util.Objects.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Signals computed by the calling thread in single precision, in loops that the JIT compiler turns
 * into vector instructions. Products cover all queries of a KV head together, which needs no sum
 * across a vector's lanes. Reuses its scratch memory, so that it allocates nothing once warm. For
 * one thread.
 */
public final class FastSignals implements SignalKernels {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private static final int UNROLL = 8;

  /** The number of keys whose products are written together: a row's share is one cache line. */
  private static final int TILE = 16;

  private final MemorySegment slab;
  private float[][] turned = {};
  private float[] query = {};
  private float[] key = {};
  private float[][] sums = {{}};
  private float[] logits = {};
  private short[] scratch = {};
  private double[] total = {};

  public FastSignals(MemorySegment slab) {
    this.slab = requireNonNull(slab, "slab is null");
  }

  @Override
  public void windowAttention(
      LayerKeys keys, int queryHeads, int window, MemorySegment queries, MemorySegment scores) {
    SignalArguments.ofWindow(keys, queryHeads, window, queries, scores);
    keys.requireWithin(slab.byteSize());
    int rows = queryHeads / keys.kvHeads() * window;
    prepare(keys, rows);
    for (int head = 0; head < keys.kvHeads(); head++) {
      long first = (long) head * rows;
      turn(queries, first * keys.layout().headDim(), rows, keys.layout().headDim());
      multiply(keys, head, rows);
      for (int row = 0; row < rows; row++) {
        int seen = keys.length() - window + row % window + 1;
        softmax(row * keys.length(), seen, keys.length());
      }
      MemorySegment.copy(
          logits, 0, scores, FLOAT, first * keys.length() * Float.BYTES, rows * keys.length());
    }
  }

  private void prepare(LayerKeys keys, int rows) {
    int headDim = keys.layout().headDim();
    prepareKey(headDim);
    if (turned.length != key.length || turned[0].length < rows) {
      turned = new float[key.length][rows];
    }
    if (sums[0].length < rows) {
      sums = new float[TILE][rows];
    }
    int scores = Math.multiplyExact(rows, keys.length());
    if (logits.length < scores) {
      logits = new float[scores];
    }
  }

  private void prepareKey(int headDim) {
    int padded = Math.ceilDiv(headDim, UNROLL) * UNROLL;
    if (key.length != padded || scratch.length != headDim) {
      key = new float[padded];
      query = new float[headDim];
      scratch = new short[headDim];
      total = new double[headDim];
    }
  }

  private void turn(MemorySegment queries, long first, int rows, int headDim) {
    float scale = (float) (1 / Math.sqrt(headDim));
    for (int row = 0; row < rows; row++) {
      MemorySegment.copy(
          queries, FLOAT, (first + (long) row * headDim) * Float.BYTES, query, 0, headDim);
      for (int d = 0; d < headDim; d++) {
        turned[d][row] = query[d] * scale;
      }
    }
  }

  private void multiply(LayerKeys keys, int head, int rows) {
    int length = keys.length();
    for (int first = 0; first < length; first += TILE) {
      int count = Math.min(TILE, length - first);
      for (int i = 0; i < count; i++) {
        keys.layout().dtype().read(slab, keys.offset(head, first + i), key, 0, scratch);
        Arrays.fill(sums[i], 0, rows, 0);
        for (int d = 0; d < key.length; d += UNROLL) {
          addProducts(sums[i], rows, turned, key, d);
        }
      }
      for (int row = 0; row < rows; row++) {
        for (int i = 0; i < count; i++) {
          logits[row * length + first + i] = sums[i][row];
        }
      }
    }
  }

  private static void addProducts(float[] sums, int rows, float[][] turned, float[] key, int d) {
    float k0 = key[d];
    float k1 = key[d + 1];
    float k2 = key[d + 2];
    float k3 = key[d + 3];
    float k4 = key[d + 4];
    float k5 = key[d + 5];
    float k6 = key[d + 6];
    float k7 = key[d + 7];
    float[] t0 = turned[d];
    float[] t1 = turned[d + 1];
    float[] t2 = turned[d + 2];
    float[] t3 = turned[d + 3];
    float[] t4 = turned[d + 4];
    float[] t5 = turned[d + 5];
    float[] t6 = turned[d + 6];
    float[] t7 = turned[d + 7];
    for (int row = 0; row < rows; row++) {
      float even = k0 * t0[row] + k2 * t2[row] + k4 * t4[row] + k6 * t6[row];
      float odd = k1 * t1[row] + k3 * t3[row] + k5 * t5[row] + k7 * t7[row];
      sums[row] += even + odd;
    }
  }

  private void softmax(int from, int seen, int length) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int i = from; i < from + seen; i++) {
      largest = Math.max(largest, logits[i]);
    }
    Exponential.of(logits, from, seen, largest);
    double sum = 0;
    for (int i = from; i < from + seen; i++) {
      sum += logits[i];
    }
    float share = (float) (1 / sum);
    for (int i = from; i < from + seen; i++) {
      logits[i] *= share;
    }
    Arrays.fill(logits, from + seen, from + length, 0);
  }

  @Override
  public void keyNorms(LayerKeys keys, int first, int count, MemorySegment norms) {
    SignalArguments.ofNorms(keys, first, count, norms);
    keys.requireWithin(slab.byteSize());
    prepareKey(keys.layout().headDim());
    for (int head = 0; head < keys.kvHeads(); head++) {
      for (int i = 0; i < count; i++) {
        keys.layout().dtype().read(slab, keys.offset(head, first + i), key, 0, scratch);
        norms.set(FLOAT, ((long) head * count + i) * Float.BYTES, (float) norm());
      }
    }
  }

  @Override
  public void addToKeyMean(LayerKeys keys, int first, int count, long seen, MemorySegment mean) {
    SignalArguments.ofMean(keys, first, count, seen, mean);
    keys.requireWithin(slab.byteSize());
    int headDim = keys.layout().headDim();
    prepareKey(headDim);
    for (int head = 0; count > 0 && head < keys.kvHeads(); head++) {
      Arrays.fill(total, 0);
      for (int i = first; i < first + count; i++) {
        keys.layout().dtype().read(slab, keys.offset(head, i), key, 0, scratch);
        double norm = norm();
        for (int d = 0; d < headDim && norm > 0; d++) {
          total[d] += key[d] / norm;
        }
      }
      for (int d = 0; d < headDim; d++) {
        long at = ((long) head * headDim + d) * Float.BYTES;
        double before = seen == 0 ? 0 : mean.get(FLOAT, at) * (double) seen;
        mean.set(FLOAT, at, (float) ((before + total[d]) / (seen + count)));
      }
    }
  }

  /** Returns the norm of the key read last; zero follows its last dimension. */
  private double norm() {
    double squares = 0;
    for (float value : key) {
      squares += (double) value * value;
    }
    return Math.sqrt(squares);
  }
}
