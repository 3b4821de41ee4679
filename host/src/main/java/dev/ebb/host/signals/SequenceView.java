package dev.ebb.host.signals;

import dev.ebb.host.sequence.StoredTokens;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A sequence, or the layers and KV heads of it that have the same length, as a token policy sees
 * it: by index, oldest token first, whatever rows they lie in. Keeps its memory from one sequence
 * to the next. For one thread.
 */
public final class SequenceView implements TokenView {

  private final TokenPolicy policy;
  private final Set<Signal> declared;
  private final int window;
  private @Nullable TokenSignals signals;
  private @Nullable StoredKeys keys;
  private int firstLayer;
  private int layers;
  private int firstHead;
  private int heads;
  private int length;
  private float[] attention = {};
  private float[] received = {};
  private float[] norms = {};
  private float[] keyRows = {};
  private float[] means = {};
  private float[] queries = {};
  private float[] one = {};
  private short[] scratch = {};

  /**
   * A view for one policy.
   *
   * @param policy who looks; asked here for what it needs
   */
  public SequenceView(TokenPolicy policy) {
    this.policy = policy;
    declared = Set.copyOf(policy.signals());
    window = declared.contains(Signal.WINDOW_ATTENTION) ? policy.window() : 1;
  }

  /**
   * Looks at a part of a sequence in which all lanes have the same length.
   *
   * @param of what is kept of it
   * @param at where its keys lie
   * @param fromLayer the first layer
   * @param layerCount how many layers
   * @param fromHead the first KV head of each
   * @param headCount how many KV heads
   */
  public void show(
      TokenSignals of, StoredKeys at, int fromLayer, int layerCount, int fromHead, int headCount) {
    signals = of;
    keys = at;
    firstLayer = fromLayer;
    layers = layerCount;
    firstHead = fromHead;
    heads = headCount;
    StoredTokens stored = of.stored();
    length = stored.length(stored.setOf(fromLayer * of.layout().kvHeads() + fromHead));
  }

  /** Looks at nothing, and keeps nothing from being collected. */
  public void hide() {
    signals = null;
    keys = null;
  }

  /**
   * Whether the engine has handed over what the policy needs.
   *
   * @return null if it has; else what is missing
   */
  public @Nullable String missing() {
    TokenSignals from = shown();
    for (int layer = firstLayer; layer < firstLayer + layers; layer++) {
      if (declared.contains(Signal.WINDOW_ATTENTION)) {
        int wanted = Math.min(window, length);
        if (from.windowHeld(layer) < wanted) {
          return "of the last %d tokens' queries layer %d has %d"
              .formatted(wanted, layer, from.windowHeld(layer));
        }
        if (!newestStored(wanted)) {
          return "some of the last %d tokens were dropped".formatted(wanted);
        }
      }
      if (declared.contains(Signal.ACCUMULATED_ATTENTION) && !from.attentionCurrent(layer)) {
        return "the newest token's attention in layer %d was not observed".formatted(layer);
      }
    }
    return null;
  }

  private boolean newestStored(int count) {
    StoredTokens stored = shown().stored();
    int set = stored.setOf(lane(0, 0));
    return length >= count && stored.position(set, length - count) == stored.position() - count;
  }

  private TokenSignals shown() {
    TokenSignals now = signals;
    if (now == null) {
      throw new IllegalStateException("the view is over; read signals during the call only");
    }
    return now;
  }

  private int lane(int layer, int head) {
    return (firstLayer + layer) * shown().layout().kvHeads() + firstHead + head;
  }

  @Override
  public int layers() {
    return layers;
  }

  @Override
  public int kvHeads() {
    return heads;
  }

  @Override
  public int queryHeads() {
    return heads * group();
  }

  private int group() {
    TokenSignals from = shown();
    return from.queryHeads() / from.layout().kvHeads();
  }

  @Override
  public int headDimension() {
    return shown().layout().headDim();
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public long position() {
    return shown().stored().position();
  }

  @Override
  public MemorySegment signal(Signal signal, int layer) {
    if (!declared.contains(signal)) {
      throw new IllegalStateException(
          "signal '%s' is not among those declared, %s".formatted(signal, declared));
    }
    if (layer < 0 || layer >= layers) {
      throw new IndexOutOfBoundsException(
          "layer '%d' must be from 0 to %d".formatted(layer, layers - 1));
    }
    return switch (signal) {
      case WINDOW_ATTENTION -> windowAttention(layer);
      case ACCUMULATED_ATTENTION -> received(layer);
      case KEY_NORM -> norms(layer);
      case KEYS -> keys(layer);
      case KEY_MEAN -> means(layer);
    };
  }

  private MemorySegment windowAttention(int layer) {
    int count = Math.min(window, length);
    int rows = queryHeads() * count;
    attention = grown(attention, rows * length);
    TokenSignals from = shown();
    if (from.ringHeld(firstLayer + layer) < count) {
      for (int head = 0; head < queryHeads(); head++) {
        from.rows(firstLayer + layer)
            .copyTo(attention, head * count * length, firstHead * group() + head, count, length);
      }
    } else {
      queries = grown(queries, rows * headDimension());
      from.ring(firstLayer + layer).copyTo(queries, firstHead * group(), queryHeads(), count);
      where()
          .parts(
              firstLayer + layer,
              firstHead,
              heads,
              length,
              (part, head) -> compute(part, layer, head, count));
    }
    return floats(attention, 0, rows * length);
  }

  private void compute(LayerKeys part, int layer, int head, int count) {
    StoredTokens stored = shown().stored();
    int set = stored.setOf(lane(layer, head));
    int first = head * group();
    int heads = part.kvHeads() * group();
    if (stored.ordered(set)) {
      where()
          .kernels()
          .windowAttention(
              part,
              heads,
              count,
              floats(queries, first * count * headDimension(), heads * count * headDimension()),
              floats(attention, first * count * length, heads * count * length));
      return;
    }
    // The kernels take the last rows for the newest tokens, so each query is computed by itself.
    one = grown(one, length);
    for (int row = first * count; row < (first + heads) * count; row++) {
      int kvHead = row / count / group() - head;
      LayerKeys own = part.head(kvHead);
      where()
          .kernels()
          .windowAttention(
              own,
              1,
              1,
              floats(queries, row * headDimension(), headDimension()),
              floats(one, 0, length));
      order(stored, stored.setOf(lane(layer, head + kvHead)), row * length, row % count, count);
    }
  }

  /** Brings a row into the tokens' order, without those that came after its query. */
  private void order(StoredTokens stored, int set, int at, int query, int count) {
    int seen = length - count + query + 1;
    double sum = 0;
    for (int index = 0; index < length; index++) {
      attention[at + index] = index < seen ? one[stored.row(set, index)] : 0;
      sum += attention[at + index];
    }
    for (int index = 0; index < seen && sum > 0; index++) {
      attention[at + index] /= (float) sum;
    }
  }

  private MemorySegment received(int layer) {
    received = grown(received, heads * length);
    for (int head = 0; head < heads; head++) {
      float[] sums = shown().rows(firstLayer + layer).received(firstHead + head);
      System.arraycopy(sums, 0, received, head * length, length);
    }
    return floats(received, 0, heads * length);
  }

  private MemorySegment norms(int layer) {
    shown().norm(where(), firstLayer + layer, firstHead, heads, length);
    norms = grown(norms, heads * length);
    for (int head = 0; head < heads; head++) {
      System.arraycopy(shown().norms(lane(layer, head)), 0, norms, head * length, length);
    }
    return floats(norms, 0, heads * length);
  }

  private MemorySegment keys(int layer) {
    keyRows = grown(keyRows, heads * length * headDimension());
    if (scratch.length != headDimension()) {
      scratch = new short[headDimension()];
    }
    where()
        .parts(
            firstLayer + layer,
            firstHead,
            heads,
            length,
            (part, head) -> {
              for (int i = 0; i < part.kvHeads(); i++) {
                readKeys(part, i, shown().stored().setOf(lane(layer, head + i)), head + i);
              }
            });
    return floats(keyRows, 0, heads * length * headDimension());
  }

  private void readKeys(LayerKeys part, int headOfPart, int set, int head) {
    StoredTokens stored = shown().stored();
    for (int index = 0; index < length; index++) {
      int at = (head * length + index) * scratch.length;
      where().read(part, headOfPart, stored.row(set, index), keyRows, at, scratch);
    }
  }

  private MemorySegment means(int layer) {
    int dim = headDimension();
    shown().mean(where(), firstLayer + layer, firstHead, heads, length);
    means = grown(means, heads * dim);
    for (int head = 0; head < heads; head++) {
      System.arraycopy(shown().means(lane(layer, head)), 0, means, head * dim, dim);
    }
    return floats(means, 0, heads * dim);
  }

  private StoredKeys where() {
    StoredKeys now = keys;
    if (now == null) {
      throw new IllegalStateException("the view is over; read signals during the call only");
    }
    return now;
  }

  private static float[] grown(float[] array, int length) {
    return array.length < length ? new float[length + length / 4] : array;
  }

  private static MemorySegment floats(float[] array, int first, int count) {
    return MemorySegment.ofArray(array)
        .asSlice((long) first * Float.BYTES, (long) count * Float.BYTES);
  }

  @Override
  public String toString() {
    return "view of %s".formatted(policy);
  }
}
