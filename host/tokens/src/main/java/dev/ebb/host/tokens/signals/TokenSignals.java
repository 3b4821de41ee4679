package dev.ebb.host.tokens.signals;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy.Signal;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of one sequence for its token policies. Kept by the tokens' index, oldest first, so
 * that it follows them whatever row they lie in; a dropped token forgets all. Not safe for use by
 * many threads.
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
  private RowNorms norms;
  private RowNorms valueNorms;
  private KeyMeans means;

  /**
   * Nothing observed yet.
   *
   * @param needs what is to be kept
   * @param layout the shape of a block
   * @param queryHeads query heads of a layer, a multiple of the KV heads
   * @param rotation how the model rotates; null if the engine has not said
   * @param stored the sequence's tokens
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

  /**
   * The same for a fork.
   *
   * @param forked the fork's tokens
   * @return a copy
   */
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
    return copy;
  }

  /**
   * Keeps more, or less, from now on: another policy looks.
   *
   * @param changed what is to be kept
   */
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
   * Takes the queries of the newest tokens, from which attention over the stored keys is computed
   * when it is wanted.
   *
   * @param layer the layer
   * @param count how many tokens' queries
   * @param given float32 {@code [queryHeads][count][headDim]}, rotated as the keys are
   * @throws IllegalArgumentException if the size or the layer is another one
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
   * Takes the queries of the newest tokens as they are before their rotation, for mean and
   * covariance.
   *
   * @param layer the layer
   * @param count how many tokens' queries
   * @param given float32 {@code [queryHeads][count][headDim]}, not rotated
   * @throws IllegalArgumentException if the size or the layer is another one
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
   * Takes the attention of the newest tokens' queries.
   *
   * @param layer the layer
   * @param count how many tokens' queries
   * @param rows float32 {@code [queryHeads][count][length]} over the rows in use, zero where a
   *     query does not look; the length of the layer's longest lane
   * @throws IllegalArgumentException if the size or the layer is another one
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
      known.add(rows, count, stored);
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

  /**
   * Forgets what is dropped. To be called before the plan is written to the account.
   *
   * @param plan what stays
   */
  public void keep(Packing plan) {
    for (AttentionRows rows : attention) {
      if (rows != null) {
        rows.keep(plan, stored);
      }
    }
    norms.keep(plan, stored);
    valueNorms.keep(plan, stored);
    means.keep(plan, stored);
  }

  /** Norms of keys, up to date for some heads of a layer. */
  RowNorms norms(StoredKeys keys, int layer, int firstHead, int heads) {
    norms.update(keys, stored, layer, firstHead, heads);
    return norms;
  }

  /** Norms of values, up to date for some heads of a layer. */
  RowNorms valueNorms(StoredKeys keys, int layer, int firstHead, int heads) {
    valueNorms.update(keys, stored, layer, firstHead, heads);
    return valueNorms;
  }

  /** Mean keys, up to date for some heads of a layer. */
  KeyMeans means(StoredKeys keys, int layer, int firstHead, int heads) {
    means.update(keys, stored, layer, firstHead, heads);
    return means;
  }

  /** How many of the newest tokens' queries there are in a layer, or their attention. */
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

  /** Whether the newest token's query is among those that mean and covariance are of. */
  boolean momentsCurrent(int layer) {
    QueryMoments known = moments[layer];
    return known != null && known.current(stored.position());
  }

  QueryMoments moments(int layer) {
    return requireNonNull(moments[layer], "no queries");
  }

  /** How the model rotates; a policy that wants to know is refused if the engine has not said. */
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

  /**
   * Whose signals these are.
   *
   * @return the sequence's tokens
   */
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
