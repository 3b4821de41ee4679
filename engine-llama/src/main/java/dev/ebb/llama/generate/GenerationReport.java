package dev.ebb.llama.generate;

/** The statistics of an answer. */
record GenerationReport(
    int promptTokens,
    int generatedTokens,
    Ending ending,
    double promptSeconds,
    double generationSeconds,
    CellReport cells) {

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
