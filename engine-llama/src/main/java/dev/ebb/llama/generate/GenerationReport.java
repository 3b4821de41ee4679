package dev.ebb.llama.generate;

import java.util.Locale;

/** The statistics of an answer. */
record GenerationReport(
    int promptTokens,
    int generatedTokens,
    Ending ending,
    double promptSeconds,
    double generationSeconds,
    Cells cells) {

  /** The use of the KV cells. */
  record Cells(int cells, int used, int peak, long evictions, long evicted) {}

  /** The reason why an answer ended. */
  enum Ending {
    /** The model ended it. */
    END,
    /** It has the maximum number of tokens. */
    LENGTH,
    /** No cell was free. */
    CONTEXT,
    /** Its reader stopped. */
    STOPPED;

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  double promptRate() {
    return rate(promptTokens, promptSeconds);
  }

  double generationRate() {
    return rate(generatedTokens, generationSeconds);
  }

  private static double rate(int tokens, double seconds) {
    return seconds > 0 ? tokens / seconds : 0;
  }
}
