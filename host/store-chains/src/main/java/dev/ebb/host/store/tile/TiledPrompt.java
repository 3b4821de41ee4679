package dev.ebb.host.store.tile;

import it.unimi.dsi.fastutil.ints.IntArrayList;
import java.util.BitSet;

/**
 * The lookups of one prompt, front to back.
 *
 * @param indexes those of the lookups in their batch
 * @param assumed the positions, in this prompt, of lookups whose place is assumed
 */
public record TiledPrompt(IntArrayList indexes, BitSet assumed) {

  @FunctionalInterface
  public interface Pair {

    /** Called for each key but the first, front to back. */
    void accept(long low, long previous, boolean assumed);
  }

  /** Passes on each key of the prompt with the one before it. */
  public void forEachPair(LookupBatch batch, Pair action) {
    for (int i = 1; i < indexes.size(); i++) {
      action.accept(batch.low(indexes.getInt(i)), batch.low(indexes.getInt(i - 1)), assumed.get(i));
    }
  }
}
