package dev.ebb.host.tokens.signals;

import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenBudget;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicy.Signal;
import dev.ebb.spi.TokenView;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token policy's view of a sequence, or of the layers and KV heads that have the same length. By
 * index, oldest token first, whatever their rows. Reuses its memory from one sequence to the next.
 * For one thread.
 */
public final class SequenceView implements TokenView {

  private static final int LARGEST_STATE = 64;

  private final Object owner;
  private final Set<Signal> declared;
  private final int window;
  private final int stateSize;
  private @Nullable TokenSignals signals;
  private @Nullable StoredKeys keys;
  private int firstLayer;
  private int layers;
  private int firstHead;
  private int heads;
  private int length;
  private final WindowAttention attention = new WindowAttention();
  private final Map<Signal, GrowableFloats> buffers = new EnumMap<>(Signal.class);
  private int stateLayer = -1;
  private short[] scratch = {};

  /** Creates a view for one policy. */
  public SequenceView(TokenPolicy policy) {
    owner = policy;
    declared = Set.copyOf(policy.signals());
    window = declared.contains(Signal.WINDOW_ATTENTION) ? policy.window() : 1;
    stateSize = declared.contains(Signal.STATE) ? policy.stateSize() : 1;
    if (stateSize < 1 || stateSize > LARGEST_STATE) {
      throw new IllegalStateException(
          "stateSize() returned '%d'; it must be from 1 to %d".formatted(stateSize, LARGEST_STATE));
    }
  }

  /** Creates a view for a budget. */
  public SequenceView(TokenBudget budget) {
    owner = budget;
    declared = Set.copyOf(budget.signals());
    window = declared.contains(Signal.WINDOW_ATTENTION) ? budget.window() : 1;
    stateSize = 1;
    if (declared.contains(Signal.STATE)) {
      throw new IllegalStateException("signals() of a budget must not contain STATE");
    }
  }

  /** Returns whether anything can be read. */
  public boolean readsSignals() {
    return !declared.isEmpty();
  }

  int stateSize() {
    return stateSize;
  }

  /** Shows a part of a sequence in which all lanes have the same length. */
  public void show(
      TokenSignals of, StoredKeys at, int fromLayer, int layerCount, int fromHead, int headCount) {
    signals = of;
    keys = at;
    firstLayer = fromLayer;
    layers = layerCount;
    firstHead = fromHead;
    heads = headCount;
    stateLayer = -1;
    StoredTokens stored = of.stored();
    length = stored.length(stored.setOf(fromLayer * of.layout().kvHeads() + fromHead));
  }

  /** Shows nothing, and keeps nothing from being collected. */
  public void hide() {
    signals = null;
    keys = null;
    stateLayer = -1;
  }

  /** Returns what the engine has not provided of what the policy needs; null if nothing. */
  public @Nullable String missing() {
    TokenSignals from = shown();
    for (int layer = firstLayer; layer < firstLayer + layers; layer++) {
      if (declared.contains(Signal.WINDOW_ATTENTION)) {
        int wanted = Math.min(window, length);
        if (from.windowHeld(layer) < wanted) {
          return "of the queries of the last %d tokens, layer %d has %d"
              .formatted(wanted, layer, from.windowHeld(layer));
        }
        if (!newestStored(wanted)) {
          return "some of the last %d tokens were dropped".formatted(wanted);
        }
      }
      if (declared.contains(Signal.ACCUMULATED_ATTENTION) && !from.attentionCurrent(layer)) {
        return "the newest token's attention in layer %d was not observed".formatted(layer);
      }
      if (SignalNeeds.ofQueries(declared) && !from.momentsCurrent(layer)) {
        return "the newest token's query before its rotation in layer %d was not observed"
            .formatted(layer);
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
      throw new IllegalStateException("the view is closed; read signals during the call only");
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
  public long position(int layer, int kvHead, int token) {
    Objects.checkIndex(layer, layers);
    Objects.checkIndex(kvHead, heads);
    Objects.checkIndex(token, length);
    StoredTokens stored = shown().stored();
    return stored.position(stored.setOf(lane(layer, kvHead)), token);
  }

  @Override
  public Rotation rotation() {
    if (!SignalNeeds.ofQueries(declared)) {
      throw new IllegalStateException(
          "rotation() needs the mean or covariance of the queries among the declared signals, not %s"
              .formatted(declared));
    }
    return shown().rotation();
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
    int at = firstLayer + layer;
    GrowableFloats buffer = buffer(signal);
    return switch (signal) {
      case WINDOW_ATTENTION ->
          attention.of(shown(), where(), at, firstHead, heads, Math.min(window, length));
      case ACCUMULATED_ATTENTION -> received(layer, buffer);
      case KEY_NORM -> norms(shown().norms(where(), at, firstHead, heads), layer, buffer);
      case VALUE_NORM -> norms(shown().valueNorms(where(), at, firstHead, heads), layer, buffer);
      case KEYS -> rows(layer, false, buffer);
      case VALUES -> rows(layer, true, buffer);
      case KEY_MEAN -> means(layer, buffer);
      case QUERY_MEAN -> queryMeans(layer, buffer);
      case QUERY_COVARIANCE -> covariances(layer, buffer);
      case STATE -> state(layer, buffer);
    };
  }

  private GrowableFloats buffer(Signal signal) {
    return buffers.computeIfAbsent(signal, first -> new GrowableFloats());
  }

  private MemorySegment received(int layer, GrowableFloats buffer) {
    float[] all = buffer.of(heads * length);
    for (int head = 0; head < heads; head++) {
      AttentionRows rows = shown().rows(firstLayer + layer);
      rows.copyReceived(all, head * length, firstHead + head, shown().stored());
    }
    return buffer.first(heads * length);
  }

  private MemorySegment norms(RowNorms known, int layer, GrowableFloats buffer) {
    float[] all = buffer.of(heads * length);
    for (int head = 0; head < heads; head++) {
      System.arraycopy(known.of(lane(layer, head)), 0, all, head * length, length);
    }
    return buffer.first(heads * length);
  }

  private MemorySegment rows(int layer, boolean values, GrowableFloats buffer) {
    int dim = headDimension();
    float[] all = buffer.of(heads * length * dim);
    if (scratch.length != dim) {
      scratch = new short[dim];
    }
    StoredTokens stored = shown().stored();
    for (int head = 0; head < heads; head++) {
      LayerKeys own =
          values
              ? where().values(firstLayer + layer, firstHead + head, 1, length)
              : where().part(firstLayer + layer, firstHead + head, 1, length);
      int set = stored.setOf(lane(layer, head));
      for (int index = 0; index < length; index++) {
        int at = (head * length + index) * dim;
        where().read(own, 0, stored.row(set, index), all, at, scratch);
      }
    }
    return buffer.first(heads * length * dim);
  }

  private MemorySegment means(int layer, GrowableFloats buffer) {
    int dim = headDimension();
    KeyMeans known = shown().means(where(), firstLayer + layer, firstHead, heads);
    float[] all = buffer.of(heads * dim);
    for (int head = 0; head < heads; head++) {
      System.arraycopy(known.of(lane(layer, head)), 0, all, head * dim, dim);
    }
    return buffer.first(heads * dim);
  }

  private MemorySegment queryMeans(int layer, GrowableFloats buffer) {
    int count = queryHeads() * headDimension();
    QueryMoments known = shown().moments(firstLayer + layer);
    known.copyMean(buffer.of(count), firstHead * group(), queryHeads());
    return buffer.first(count);
  }

  private MemorySegment covariances(int layer, GrowableFloats buffer) {
    int count = queryHeads() * headDimension() * headDimension();
    QueryMoments known = shown().moments(firstLayer + layer);
    known.copyCovariance(buffer.of(count), firstHead * group(), queryHeads());
    return buffer.first(count);
  }

  private MemorySegment state(int layer, GrowableFloats buffer) {
    float[] all = buffer.of(heads * length * stateSize);
    if (layer != stateLayer) {
      saveState();
      TokenStates known = shown().states(this);
      for (int head = 0; head < heads; head++) {
        known.read(lane(layer, head), all, head * length * stateSize, length);
      }
      stateLayer = layer;
    }
    return buffer.first(heads * length * stateSize);
  }

  /** Keeps the state that the policy has written, if it has read any. */
  public void saveState() {
    if (stateLayer >= 0) {
      TokenStates known = shown().states(this);
      for (int head = 0; head < heads; head++) {
        float[] written = buffer(Signal.STATE).array();
        known.write(lane(stateLayer, head), written, head * length * stateSize, length);
      }
      stateLayer = -1;
    }
  }

  private StoredKeys where() {
    StoredKeys now = keys;
    if (now == null) {
      throw new IllegalStateException("the view is closed; read signals during the call only");
    }
    return now;
  }

  @Override
  public String toString() {
    return "view of %s".formatted(owner);
  }
}
