package dev.ebb.llama.server;

import dev.ebb.llama.server.BlockCells.Branch;

/** The memory of llama.cpp behind the sequences of an Ebb. */
interface SequenceCells {

  /**
   * Opens the branch of a request.
   *
   * @param blocks the blocks of all its pages: the matched ones, then its own
   * @param sharedTokens how many tokens of them it uses; it computes the others again
   */
  Branch open(int[] blocks, int matchedPages, int sharedTokens);

  /** Copies full pages of a running branch, which are published next; {@code to} is exclusive. */
  void save(Branch branch, int[] blocks, int from, int to);

  /**
   * Reports that the cache has blocks of a running branch.
   *
   * @param from the first page that was not in the cache before
   * @param to behind the last one that is
   */
  void publish(Branch branch, int[] blocks, int from, int to);

  /**
   * Ends a branch, before the pool's blocks are released.
   *
   * @param cachedPages how many it had matched or published
   * @param computedTokens its computed tokens; 0 to keep only what is published
   */
  void close(Branch branch, int[] blocks, int cachedPages, int computedTokens);

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
