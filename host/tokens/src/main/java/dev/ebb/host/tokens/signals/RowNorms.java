package dev.ebb.host.tokens.signals;

import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.tokens.rows.Packing;
import dev.ebb.host.tokens.rows.StoredTokens;
import java.util.Arrays;

/** By lane the norms of the oldest tokens' keys or values, each computed once. Not thread-safe. */
final class RowNorms {

  private final KvLayout layout;
  private final boolean values;
  private final float[][] norms;

  /** By lane: of how many tokens. */
  private final int[] known;

  private final GrowableFloats fresh = new GrowableFloats();

  /** Creates an empty record. */
  RowNorms(KvLayout layout, boolean values) {
    this.layout = layout;
    this.values = values;
    norms = new float[layout.layers() * layout.kvHeads()][0];
    known = new int[norms.length];
  }

  RowNorms copy() {
    RowNorms copy = new RowNorms(layout, values);
    Arrays.setAll(copy.norms, lane -> norms[lane].clone());
    System.arraycopy(known, 0, copy.known, 0, known.length);
    return copy;
  }

  /** Brings the norms of a layer's heads up to date. */
  void update(StoredKeys keys, StoredTokens stored, int layer, int firstHead, int heads) {
    for (int head = firstHead; head < firstHead + heads; head++) {
      int lane = layer * layout.kvHeads() + head;
      int set = stored.setOf(lane);
      int length = stored.length(set);
      int from = known[lane];
      int count = length - from;
      if (count > 0) {
        float[] computed = fresh.of(count);
        LayerKeys rows =
            values ? keys.values(layer, head, 1, length) : keys.part(layer, head, 1, length);
        keys.kernels().keyNorms(rows, from, count, fresh.first(count));
        if (norms[lane].length < length) {
          norms[lane] = Arrays.copyOf(norms[lane], length + length / 4);
        }
        for (int index = from; index < length; index++) {
          norms[lane][index] = computed[stored.row(set, index) - from];
        }
        known[lane] = length;
      }
    }
  }

  float[] of(int lane) {
    return norms[lane];
  }

  /** Drops the tokens that the plan drops. The stored tokens are still those before it. */
  void keep(Packing plan, StoredTokens before) {
    for (int lane = 0; lane < norms.length; lane++) {
      int set = lane * plan.sets() / norms.length;
      // Rows without a norm yet may be anywhere afterwards.
      boolean all = known[lane] == before.length(before.setOf(lane));
      if (all) {
        plan.moveByIndex(set, norms[lane], 0, 0);
      }
      known[lane] = all ? plan.kept(set) : 0;
    }
  }
}
