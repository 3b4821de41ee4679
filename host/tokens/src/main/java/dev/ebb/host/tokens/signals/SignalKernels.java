package dev.ebb.host.tokens.signals;

import java.lang.foreign.MemorySegment;

/**
 * Computes signals over the keys in one slab. Segments hold float32 in row-major order, unaligned,
 * and must have exactly the stated size; otherwise {@link IllegalArgumentException}. Blocks and
 * tokens that do not exist are refused with {@link IndexOutOfBoundsException}.
 */
public interface SignalKernels {

  /**
   * Computes the attention of the last queries, each over the tokens up to its own: the softmax of
   * {@code q.k / sqrt(headDim)}, zero behind. Query t of the window belongs to token {@code length
   * - window + t}.
   *
   * @param queryHeads a multiple of the KV heads; query head h reads KV head {@code h / (queryHeads
   *     / kvHeads)}
   * @param window how many queries, 1 to the length
   * @param queries {@code [queryHeads][window][headDim]}, rotated as the keys are
   * @param scores receives {@code [queryHeads][window][length]}
   */
  void windowAttention(
      LayerKeys keys, int queryHeads, int window, MemorySegment queries, MemorySegment scores);

  /**
   * Computes the Euclidean norms of keys, or of values.
   *
   * @param keys the layer's keys, or its {@link LayerKeys#values}
   * @param norms receives {@code [kvHeads][count]}
   */
  void keyNorms(LayerKeys keys, int first, int count, MemorySegment norms);

  /**
   * Adds keys to the running mean of the normalised keys. A key of length zero counts as zero.
   *
   * @param first the first token to add
   * @param seen how many tokens the mean covers already; 0: its content is ignored
   * @param mean {@code [kvHeads][headDim]}, read and replaced
   */
  void addToKeyMean(LayerKeys keys, int first, int count, long seen, MemorySegment mean);
}
