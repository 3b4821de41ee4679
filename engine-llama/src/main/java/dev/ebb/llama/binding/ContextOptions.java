package dev.ebb.llama.binding;

import org.jspecify.annotations.Nullable;

/**
 * The options of a context.
 *
 * @param cells KV cells, each for one token; llama.cpp rounds up to its own multiple
 * @param batch the maximum number of tokens computed together, 1 to the cells
 * @param sequences how many sequences may share the cells, at least 1
 * @param threads threads of the computation, 1 to {@link #MOST_THREADS}
 * @param watch receives each layer's attention; null for llama.cpp's own computation
 * @param flashAttention whether attention skips the cells of other sequences, and sums in 16 bits;
 *     not with a watch, for which flash attention never writes the rows
 */
public record ContextOptions(
    int cells,
    int batch,
    int sequences,
    int threads,
    @Nullable AttentionWatch watch,
    boolean flashAttention) {

  /** The limit of llama.cpp's build; with more threads it aborts the process. */
  public static final int MOST_THREADS = 512;

  public ContextOptions {
    if (cells < 1
        || batch < 1
        || batch > cells
        || sequences < 1
        || threads < 1
        || threads > MOST_THREADS
        || (flashAttention && watch != null)) {
      throw new IllegalArgumentException(
          "all options must be positive, batch at most cells, threads at most %d, and attention is observed only without flash attention: cells=%d batch=%d sequences=%d threads=%d"
              .formatted(MOST_THREADS, cells, batch, sequences, threads));
    }
  }

  /** Creates options without flash attention. */
  public ContextOptions(
      int cells, int batch, int sequences, int threads, @Nullable AttentionWatch watch) {
    this(cells, batch, sequences, threads, watch, false);
  }

  /** Returns a number of threads; one for each core, as far as llama.cpp can, if it is null. */
  public static int threads(@Nullable Integer wanted) {
    return wanted == null
        ? Math.min(Runtime.getRuntime().availableProcessors(), MOST_THREADS)
        : wanted;
  }
}
