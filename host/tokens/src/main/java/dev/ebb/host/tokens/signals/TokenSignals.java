package dev.ebb.host.tokens.signals;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy.Signal;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The signals of one sequence for its token policies. Stored by the tokens' index, oldest first,
 * whatever their rows; those of a dropped token are lost. Not thread-safe.
 */
public final class TokenSignals {

  private SignalNeeds needs;
  private final KvLayout layout;
  private final int queryHeads;
  private final @Nullable Rotation rotation;
  private final StoredTokens stored;
  private final @Nullable QueryRing[] queries;
  private final @Nullable AttentionRows[] attention;
  private final @Nullable QueryMoments[] moments;
  private final GrowableFloats shares = new GrowableFloats();
  private RowNorms norms;
  private RowNorms valueNorms;
  private KeyMeans means;
  private final List<TokenStates> states = new ArrayList<>();

  /**
   * Creates an empty record.
   *
   * @param queryHeads query heads of a layer, a multiple of the KV heads
   * @param rotation the model's rotation; null if the engine has not provided it
   */
  public TokenSignals(
      SignalNeeds needs,
      KvLayout layout,
      int queryHeads,
      @Nullable Rotation rotation,
      StoredTokens stored) {
    this.needs = needs;
    this.layout = layout;
    this.queryHeads = queryHeads;
    this.rotation = rotation;
    this.stored = stored;
    queries = new QueryRing[layout.layers()];
    attention = new AttentionRows[layout.layers()];
    moments = new QueryMoments[layout.layers()];
    norms = new RowNorms(layout, false);
    valueNorms = new RowNorms(layout, true);
    means = new KeyMeans(layout);
  }

  /** Returns the same for a fork. */
  public TokenSignals copy(StoredTokens forked) {
    TokenSignals copy = new TokenSignals(needs, layout, queryHeads, rotation, forked);
    for (int layer = 0; layer < layout.layers(); layer++) {
      QueryRing ring = queries[layer];
      copy.queries[layer] = ring == null ? null : ring.copy();
      AttentionRows rows = attention[layer];
      copy.attention[layer] = rows == null ? null : rows.copy();
      QueryMoments all = moments[layer];
      copy.moments[layer] = all == null ? null : all.copy();
    }
    copy.norms = norms.copy();
    copy.valueNorms = valueNorms.copy();
    copy.means = means.copy();
    states.forEach(state -> copy.states.add(state.copy()));
    return copy;
  }

  /** Changes the kept signals when another policy takes over. */
  public void require(SignalNeeds changed) {
    if (changed != needs && !changed.equals(needs)) {
      if (!changed.sameOfQueries(needs)) {
        Arrays.fill(moments, null);
      }
      needs = changed;
      Arrays.fill(queries, null);
      Arrays.fill(attention, null);
    }
  }

  /**
   * Adds the queries of the newest tokens, from which attention over the stored keys is computed on
   * demand.
   *
   * @param given float32 {@code [queryHeads][count][headDim]}, rotated as the keys are
   * @throws IllegalArgumentException if the size or the layer is wrong
   */
  public void observeQueries(int layer, int count, MemorySegment given) {
    check(layer, count, "queries", given, (long) queryHeads * count * layout.headDim());
    if (needs.signals().contains(Signal.WINDOW_ATTENTION)) {
      QueryRing ring = queries[layer];
      if (ring == null) {
        ring = new QueryRing(queryHeads, needs.window(), layout.headDim());
        queries[layer] = ring;
      }
      ring.add(given, count, stored.position());
    }
  }

  /**
   * Adds the unrotated queries of the newest tokens, for mean and covariance.
   *
   * @param given float32 {@code [queryHeads][count][headDim]}, not rotated
   * @throws IllegalArgumentException if the size or the layer is wrong
   */
  public void observeUnrotatedQueries(int layer, int count, MemorySegment given) {
    check(layer, count, "unrotated queries", given, (long) queryHeads * count * layout.headDim());
    if (needs.ofQueries()) {
      QueryMoments known = moments[layer];
      if (known == null) {
        known =
            new QueryMoments(
                queryHeads, layout.headDim(), needs.skippedQueries(), needs.covariance());
        moments[layer] = known;
      }
      known.add(given, count, stored.position());
    }
  }

  /**
   * Adds the attention of the newest tokens' queries.
   *
   * @param rows float32 {@code [queryHeads][count][length]} over the rows in use, zero where a
   *     query does not attend; the length of the layer's longest lane
   * @throws IllegalArgumentException if the size or the layer is wrong
   */
  public void observeAttention(int layer, int count, MemorySegment rows) {
    boolean window = needs.signals().contains(Signal.WINDOW_ATTENTION);
    boolean sums = needs.signals().contains(Signal.ACCUMULATED_ATTENTION);
    if (layer >= 0 && layer < layout.layers() && attention[layer] == null) {
      attention[layer] =
          new AttentionRows(
              layer * layout.kvHeads(),
              layout.kvHeads(),
              queryHeads / layout.kvHeads(),
              window ? needs.window() : 0,
              sums);
    }
    AttentionRows known = layer < 0 || layer >= layout.layers() ? null : attention[layer];
    long longest = known == null ? 0 : known.longest(stored);
    check(layer, count, "attention", rows, (long) queryHeads * count * longest);
    if (known != null && (window || sums)) {
      known.add(rows, count, stored, shares);
    }
  }

  private void check(int layer, int count, String what, MemorySegment given, long floats) {
    if (layer < 0 || layer >= layout.layers() || count < 1 || count > stored.longest()) {
      throw new IllegalArgumentException(
          "layer '%d' must be from 0 to %d, and '%d' tokens from 1 to the length %d"
              .formatted(layer, layout.layers() - 1, count, stored.longest()));
    }
    if (given.byteSize() != floats * Float.BYTES) {
      throw new IllegalArgumentException(
          "%s of layer '%d' of '%d' bytes must be %d"
              .formatted(what, layer, given.byteSize(), floats * Float.BYTES));
    }
  }

  /** Drops the signals of dropped tokens. Call it before the plan is committed. */
  public void keep(Packing plan) {
    for (AttentionRows rows : attention) {
      if (rows != null) {
        rows.keep(plan, stored);
      }
    }
    norms.keep(plan, stored);
    valueNorms.keep(plan, stored);
    means.keep(plan, stored);
    for (int i = 0; i < states.size(); i++) {
      states.get(i).keep(plan, stored);
    }
  }

  /** Returns the numbers that a view's policy keeps, as many for each token as it declares. */
  TokenStates states(SequenceView view) {
    for (int i = 0; i < states.size(); i++) {
      if (states.get(i).belongsTo(view)) {
        return states.get(i);
      }
    }
    states.removeIf(TokenStates::abandoned);
    TokenStates fresh = new TokenStates(view, layout.layers() * layout.kvHeads());
    states.add(fresh);
    return fresh;
  }

  /** Returns norms of keys, up to date for some heads of a layer. */
  RowNorms norms(StoredKeys keys, int layer, int firstHead, int heads) {
    norms.update(keys, stored, layer, firstHead, heads);
    return norms;
  }

  /** Returns norms of values, up to date for some heads of a layer. */
  RowNorms valueNorms(StoredKeys keys, int layer, int firstHead, int heads) {
    valueNorms.update(keys, stored, layer, firstHead, heads);
    return valueNorms;
  }

  /** Returns mean keys, up to date for some heads of a layer. */
  KeyMeans means(StoredKeys keys, int layer, int firstHead, int heads) {
    means.update(keys, stored, layer, firstHead, heads);
    return means;
  }

  /**
   * Returns for how many of the newest tokens the queries of a layer, or their attention, are
   * known.
   */
  int windowHeld(int layer) {
    return Math.max(ringHeld(layer), rowsHeld(layer));
  }

  int ringHeld(int layer) {
    QueryRing ring = queries[layer];
    return ring == null ? 0 : ring.held(stored.position());
  }

  private int rowsHeld(int layer) {
    AttentionRows rows = attention[layer];
    return rows == null ? 0 : rows.held(stored);
  }

  /** Returns whether mean and covariance include the newest token's query. */
  boolean momentsCurrent(int layer) {
    QueryMoments known = moments[layer];
    return known != null && known.current(stored.position());
  }

  QueryMoments moments(int layer) {
    return requireNonNull(moments[layer], "no queries");
  }

  /**
   * Returns the model's rotation; refuses a policy that reads it if the engine has not provided it.
   */
  Rotation rotation() {
    return requireNonNull(rotation, "no rotation");
  }

  QueryRing ring(int layer) {
    return requireNonNull(queries[layer], "no queries");
  }

  AttentionRows rows(int layer) {
    return requireNonNull(attention[layer], "no attention");
  }

  boolean attentionCurrent(int layer) {
    AttentionRows rows = attention[layer];
    return rows != null && rows.current(stored);
  }

  public StoredTokens stored() {
    return stored;
  }

  KvLayout layout() {
    return layout;
  }

  int queryHeads() {
    return queryHeads;
  }
}
