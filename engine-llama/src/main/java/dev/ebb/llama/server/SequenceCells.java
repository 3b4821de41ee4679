package dev.ebb.llama.server;

import dev.ebb.llama.server.BlockCells.Branch;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/** The memory of llama.cpp behind the sequences of an Ebb. */
interface SequenceCells {

  /**
   * Opens the branch of a request.
   *
   * @param blocks the blocks of all its pages: the matched ones, then its own
   * @param sharedTokens how many tokens of them it uses; it computes the others again
   */
  Branch open(int[] blocks, int matchedPages, int sharedTokens);

  /**
   * Reports that a running branch has further blocks of its own.
   *
   * @param blocks the blocks of all its pages
   * @param from the first page that is new
   */
  void grown(int[] blocks, int from);

  /**
   * Reports that the cache has blocks of a running branch.
   *
   * @param blocks the blocks of all its pages
   * @param from the first page that was not in the cache before
   * @param to behind the last one that is
   */
  void publish(Branch branch, int[] blocks, int from, int to);

  /**
   * Ends a branch, before the pool's blocks are released.
   *
   * @param blocks the blocks of all its pages
   * @param cachedPages how many it had matched or published
   * @param computedTokens its computed tokens; 0 to keep only what is published
   */
  void close(Branch branch, int[] blocks, int cachedPages, int computedTokens);

  /**
   * Removes what blocks held that are free.
   *
   * @param freeBlocks returns which blocks are free; called without a lock of this object
   */
  void sweep(Supplier<IntPredicate> freeBlocks);

  /** Returns the number of branches that run or are kept. */
  int branches();

  /** Reports that a completion has its branch, with a part of its tokens from the cache. */
  default void admitted(LlamaCompletion completion) {
    // Shared cells need nothing more.
  }

  /** Returns whether tokens of several branches can be computed together. */
  default boolean computesTogether() {
    return true;
  }

  /** Reports that tokens of a completion are computed next. */
  default void computing(LlamaCompletion completion) {
    // Its cells are in place.
  }

  /**
   * Returns after how many of its tokens the computation of a completion pauses.
   *
   * @param from tokens that are computed
   * @param to tokens that can be computed without a pause
   * @return more than {@code from}, at most {@code to}
   */
  default int pause(LlamaCompletion completion, int from, int to) {
    return to;
  }

  /** Reports that the first tokens of a completion are computed, and no others yet. */
  default void computed(LlamaCompletion completion, int tokens) {
    // Cells keep each token.
  }

  /** Reports that a completion, which is to stay cached, ends or is preempted. */
  default void ending(LlamaCompletion completion) {
    // Its cells stay in its branch.
  }
}
