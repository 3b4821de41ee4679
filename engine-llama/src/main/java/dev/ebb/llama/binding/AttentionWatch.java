package dev.ebb.llama.binding;

import java.lang.foreign.MemorySegment;

/**
 * Receives attention, layer by layer, while a batch is computed. Its arguments are valid only
 * during the call. An exception ends the computation and is thrown by {@link LlamaContext#decode}.
 */
public interface AttentionWatch {

  /** Returns whether {@link #keys} is called; asked once. */
  default boolean wantsKeys() {
    return false;
  }

  /**
   * Receives the attention of a batch's queries: each row is a softmax over cells and sums to 1,
   * and is 0 for a cell that its query does not see.
   *
   * @param rows float32, {@code [queryHeads][queries][cells]}
   * @param queries tokens of the batch, oldest first
   * @param cells the leading cells that are attended to, at most those of the context
   */
  void attention(int layer, MemorySegment rows, int queryHeads, int queries, int cells);

  /**
   * Receives the keys of a batch's tokens as they are stored, after their rotation. Called before
   * the same layer's attention.
   *
   * @param keys float32, {@code [tokens][kvHeads][headDimension]}
   * @param tokens of the batch, oldest first
   */
  default void keys(int layer, MemorySegment keys, int tokens, int kvHeads, int headDimension) {}
}
