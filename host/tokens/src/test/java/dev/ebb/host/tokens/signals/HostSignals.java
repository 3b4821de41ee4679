package dev.ebb.host.tokens.signals;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.pool.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Signals computed by the calling thread, in double precision: the reference for the others. */
final class HostSignals implements SignalKernels {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final MemorySegment slab;

  HostSignals(MemorySegment slab) {
    this.slab = requireNonNull(slab, "slab is null");
  }

  @Override
  public void windowAttention(
      LayerKeys keys, int queryHeads, int window, MemorySegment queries, MemorySegment scores) {
    SignalArguments.ofWindow(keys, queryHeads, window, queries, scores);
    keys.requireWithin(slab.byteSize());
    int length = keys.length();
    int headDim = keys.layout().headDim();
    int group = queryHeads / keys.kvHeads();
    double[] weights = new double[length];
    for (int row = 0; row < queryHeads * window; row++) {
      int head = row / window / group;
      int seen = length - window + row % window + 1;
      long query = (long) row * headDim * Float.BYTES;
      double largest = Double.NEGATIVE_INFINITY;
      for (int s = 0; s < seen; s++) {
        weights[s] = dot(queries, query, keys, head, s) / Math.sqrt(headDim);
        largest = Math.max(largest, weights[s]);
      }
      double sum = 0;
      for (int s = 0; s < seen; s++) {
        weights[s] = Math.exp(weights[s] - largest);
        sum += weights[s];
      }
      for (int s = 0; s < length; s++) {
        float score = s < seen ? (float) (weights[s] / sum) : 0;
        scores.set(FLOAT, ((long) row * length + s) * Float.BYTES, score);
      }
    }
  }

  private double dot(MemorySegment queries, long query, LayerKeys keys, int head, int token) {
    DType type = keys.layout().dtype();
    long key = keys.offset(head, token);
    double sum = 0;
    for (int d = 0; d < keys.layout().headDim(); d++) {
      sum +=
          (double) queries.get(FLOAT, query + (long) d * Float.BYTES)
              * type.read(slab, key + (long) d * type.bytes());
    }
    return sum;
  }

  @Override
  public void keyNorms(LayerKeys keys, int first, int count, MemorySegment norms) {
    SignalArguments.ofNorms(keys, first, count, norms);
    keys.requireWithin(slab.byteSize());
    for (int head = 0; head < keys.kvHeads(); head++) {
      for (int i = 0; i < count; i++) {
        norms.set(
            FLOAT, ((long) head * count + i) * Float.BYTES, (float) norm(keys, head, first + i));
      }
    }
  }

  private double norm(LayerKeys keys, int head, int token) {
    DType type = keys.layout().dtype();
    long key = keys.offset(head, token);
    double squares = 0;
    for (int d = 0; d < keys.layout().headDim(); d++) {
      double value = type.read(slab, key + (long) d * type.bytes());
      squares += value * value;
    }
    return Math.sqrt(squares);
  }

  @Override
  public void addToKeyMean(LayerKeys keys, int first, int count, long seen, MemorySegment mean) {
    SignalArguments.ofMean(keys, first, count, seen, mean);
    keys.requireWithin(slab.byteSize());
    if (count == 0) {
      return;
    }
    DType type = keys.layout().dtype();
    int headDim = keys.layout().headDim();
    for (int head = 0; head < keys.kvHeads(); head++) {
      double[] sums = new double[headDim];
      for (int i = first; i < first + count; i++) {
        double norm = norm(keys, head, i);
        long key = keys.offset(head, i);
        for (int d = 0; d < headDim && norm > 0; d++) {
          sums[d] += type.read(slab, key + (long) d * type.bytes()) / norm;
        }
      }
      for (int d = 0; d < headDim; d++) {
        long at = ((long) head * headDim + d) * Float.BYTES;
        double before = seen == 0 ? 0 : mean.get(FLOAT, at) * (double) seen;
        mean.set(FLOAT, at, (float) ((before + sums[d]) / (seen + count)));
      }
    }
  }
}
