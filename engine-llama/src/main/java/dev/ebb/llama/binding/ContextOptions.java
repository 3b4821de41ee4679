package dev.ebb.llama.binding;

import org.jspecify.annotations.Nullable;

/**
 * How a context is made.
 *
 * @param cells KV cells, each for one token; llama.cpp rounds up to its own multiple
 * @param batch the most tokens that are computed at once, 1 to the cells
 * @param sequences how many sequences the cells may be shared by, at least 1
 * @param threads threads of the computation, 1 to {@link #MOST_THREADS}
 * @param watch sees each layer's attention; null for the computation as llama.cpp does it alone
 */
public record ContextOptions(
    int cells, int batch, int sequences, int threads, @Nullable AttentionWatch watch) {

  /** What llama.cpp was built for; with more it ends the process. */
  public static final int MOST_THREADS = 512;

  /** Checks the numbers. */
  public ContextOptions {
    if (cells < 1
        || batch < 1
        || batch > cells
        || sequences < 1
        || threads < 1
        || threads > MOST_THREADS) {
      throw new IllegalArgumentException(
          "cells %d, batch %d, sequences %d, threads %d"
              .formatted(cells, batch, sequences, threads));
    }
  }
}
