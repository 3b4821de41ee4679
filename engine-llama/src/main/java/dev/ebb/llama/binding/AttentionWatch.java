package dev.ebb.llama.binding;

import java.lang.foreign.MemorySegment;

/**
 * Sees what attention does, layer by layer, while a batch is computed. What it is given is good
 * only during the call. An exception ends the computation and comes out of {@link
 * LlamaContext#decode}.
 */
public interface AttentionWatch {

  /**
   * Whether {@link #keys} is of interest; asked once.
   *
   * @return true to be given keys
   */
  default boolean wantsKeys() {
    return false;
  }

  /**
   * The attention that a batch's queries pay: each row is a softmax over cells and sums to 1, and 0
   * for a cell that its query does not see.
   *
   * @param layer from 0
   * @param rows float32, {@code [queryHeads][queries][cells]}
   * @param queryHeads of the layer
   * @param queries tokens of the batch, oldest first
   * @param cells the leading cells that are looked at, at most those of the context
   */
  void attention(int layer, MemorySegment rows, int queryHeads, int queries, int cells);

  /**
   * The keys of a batch's tokens as they are stored, after their rotation. Comes before the same
   * layer's attention.
   *
   * @param layer from 0
   * @param keys float32, {@code [tokens][kvHeads][headDimension]}
   * @param tokens of the batch, oldest first
   * @param kvHeads of the layer
   * @param headDimension elements of a key
   */
  default void keys(int layer, MemorySegment keys, int tokens, int kvHeads, int headDimension) {}
}
