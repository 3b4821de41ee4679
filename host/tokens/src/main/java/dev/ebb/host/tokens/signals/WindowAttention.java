package dev.ebb.host.tokens.signals;

import dev.ebb.host.tokens.rows.StoredTokens;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The attention of the last queries of some heads of one layer, by index, oldest token first.
 * Reuses its memory. For one thread.
 */
final class WindowAttention {

  private final GrowableFloats attention = new GrowableFloats();
  private final GrowableFloats queries = new GrowableFloats();
  private final GrowableFloats query = new GrowableFloats();
  private final GrowableFloats row = new GrowableFloats();
  private @Nullable LayerKeys own;

  /** Computes it, or copies the engine's: {@code [queryHeads][count][length]}. */
  MemorySegment of(
      TokenSignals signals, StoredKeys keys, int layer, int firstHead, int heads, int count) {
    StoredTokens stored = signals.stored();
    int length = stored.length(stored.setOf(layer * signals.layout().kvHeads() + firstHead));
    int group = signals.queryHeads() / signals.layout().kvHeads();
    float[] out = attention.of(heads * group * count * length);
    if (signals.ringHeld(layer) < count) {
      for (int head = 0; head < heads * group; head++) {
        signals
            .rows(layer)
            .copyTo(out, head * count * length, firstHead * group + head, count, length);
      }
    } else {
      int dim = signals.layout().headDim();
      signals
          .ring(layer)
          .copyTo(queries.of(heads * group * count * dim), firstHead * group, heads * group, count);
      for (int head = 0; head < heads; ) {
        LayerKeys some = keys.part(layer, firstHead + head, heads - head, length);
        int lane = layer * signals.layout().kvHeads() + firstHead + head;
        compute(signals, keys.kernels(), some, lane, head, count);
        head += some.kvHeads();
      }
    }
    return attention.first(heads * group * count * length);
  }

  private void compute(
      TokenSignals signals, SignalKernels kernels, LayerKeys keys, int lane, int head, int count) {
    StoredTokens stored = signals.stored();
    int group = signals.queryHeads() / signals.layout().kvHeads();
    int dim = signals.layout().headDim();
    int first = head * group * count;
    int rows = keys.kvHeads() * group * count;
    if (stored.ordered(stored.setOf(lane))) {
      kernels.windowAttention(
          keys,
          keys.kvHeads() * group,
          count,
          queries.slice(first * dim, rows * dim),
          attention.slice(first * keys.length(), rows * keys.length()));
      return;
    }
    // The kernels take the last rows for the newest tokens, so each query is computed by itself.
    LayerKeys one = own;
    if (one == null) {
      one = new LayerKeys(keys.layout());
      own = one;
    }
    for (int i = 0; i < rows; i++) {
      int kvHead = i / count / group;
      one.showHead(keys, kvHead);
      System.arraycopy(queries.array(), (first + i) * dim, query.of(dim), 0, dim);
      row.of(keys.length());
      kernels.windowAttention(one, 1, 1, query.first(dim), row.first(keys.length()));
      order(stored, stored.setOf(lane + kvHead), (first + i) * keys.length(), i % count, count);
    }
  }

  /** Brings a row into the tokens' order, without the tokens that came after its query. */
  private void order(StoredTokens stored, int set, int at, int of, int count) {
    float[] out = attention.array();
    float[] computed = row.array();
    int length = stored.length(set);
    int seen = length - count + of + 1;
    double sum = 0;
    for (int index = 0; index < length; index++) {
      out[at + index] = index < seen ? computed[stored.row(set, index)] : 0;
      sum += out[at + index];
    }
    for (int index = 0; index < seen && sum > 0; index++) {
      out[at + index] /= (float) sum;
    }
  }
}
