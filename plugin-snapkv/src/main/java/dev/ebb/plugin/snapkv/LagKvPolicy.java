package dev.ebb.plugin.snapkv;

import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * LagKV, of Liang, Zhang, Li and Li, <a href="https://arxiv.org/abs/2504.04704">LagKV: Lag-Relative
 * Information of the KV Cache Tells Which Tokens Are Important</a> (2025): a token is important if
 * its key and value differ from what follows.
 *
 * <p>Behind the sinks, tokens are divided into partitions of {@code lag}. Each dimension of keys
 * and values is scaled by the smallest and the largest value in the next partition. The standard
 * deviation over the dimensions becomes a softmax over the partition's tokens; keys and values
 * count equally. Partitions keep equal shares, so the score is the rank within the partition. The
 * last whole partition, and what follows it, has nothing to compare with and is protected.
 */
final class LagKvPolicy extends EndsPolicy {

  private final int sinks;
  private final int lag;
  private final double[] partition;
  private final double[] part;
  private double[] low = {};
  private double[] high = {};

  LagKvPolicy(int sinks, int lag) {
    super(new Ends(sinks, 0), Granularity.KV_HEAD, Signal.KEYS, Signal.VALUES);
    this.sinks = sinks;
    this.lag = lag;
    partition = new double[lag];
    part = new double[lag];
  }

  /** Returns the number of partitions that have a next one. */
  private int compared(int length) {
    return Math.max(0, (length - sinks) / lag - 1);
  }

  @Override
  public void protect(TokenView view, BitSet mask) {
    super.protect(view, mask);
    int length = view.length();
    mask.set(Math.min(length, sinks + compared(length) * lag), length);
  }

  @Override
  public void score(TokenView view, int layer, float[] out) {
    int length = view.length();
    int size = view.headDimension();
    MemorySegment keys = view.signal(Signal.KEYS, layer);
    MemorySegment values = view.signal(Signal.VALUES, layer);
    if (low.length != size) {
      low = new double[size];
      high = new double[size];
    }
    for (int head = 0; head < view.kvHeads(); head++) {
      int start = head * length;
      for (int i = 0; i < length; i++) {
        out[start + i] = 1;
      }
      for (int i = 0; i < compared(length); i++) {
        int first = start + sinks + i * lag;
        Arrays.fill(partition, 0);
        add(keys, first, size);
        add(values, first, size);
        rank(out, first);
      }
    }
  }

  /** Adds half of the softmax of the deviations in one partition. */
  private void add(MemorySegment rows, int first, int size) {
    range(rows, first + lag, size);
    double largest = 0;
    for (int i = 0; i < lag; i++) {
      part[i] = deviation(rows, (long) (first + i) * size, size);
      largest = Math.max(largest, part[i]);
    }
    double sum = 0;
    for (int i = 0; i < lag; i++) {
      part[i] = Math.exp(part[i] - largest);
      sum += part[i];
    }
    for (int i = 0; i < lag; i++) {
      partition[i] += part[i] / sum / 2;
    }
  }

  private void range(MemorySegment rows, int first, int size) {
    for (int d = 0; d < size; d++) {
      low[d] = Double.POSITIVE_INFINITY;
      high[d] = Double.NEGATIVE_INFINITY;
      for (int i = first; i < first + lag; i++) {
        double value = Floats.at(rows, (long) i * size + d);
        low[d] = Math.min(low[d], value);
        high[d] = Math.max(high[d], value);
      }
    }
  }

  /** Returns the unbiased standard deviation. A dimension without a range counts as 0. */
  private double deviation(MemorySegment rows, long at, int size) {
    double mean = 0;
    for (int d = 0; d < size; d++) {
      mean += scaled(rows, at, d) / size;
    }
    double squares = 0;
    for (int d = 0; d < size; d++) {
      double difference = scaled(rows, at, d) - mean;
      squares += difference * difference;
    }
    return size < 2 ? 0 : Math.sqrt(squares / (size - 1));
  }

  private double scaled(MemorySegment rows, long at, int d) {
    double range = high[d] - low[d];
    return range > 0 ? (Floats.at(rows, at + d) - low[d]) / range : 0;
  }

  private void rank(float[] out, int first) {
    for (int i = 0; i < lag; i++) {
      int below = 0;
      for (int other = 0; other < lag; other++) {
        boolean worse =
            partition[other] < partition[i] || (partition[other] == partition[i] && other > i);
        below += worse ? 1 : 0;
      }
      out[first + i] = (float) below / lag;
    }
  }
}
