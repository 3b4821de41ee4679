package dev.ebb.llama.generate;

/**
 * What an answer took.
 *
 * @param promptTokens tokens read
 * @param generatedTokens tokens of the answer
 * @param ending why it ended
 * @param promptSeconds time for the prompt
 * @param generationSeconds time for the answer
 * @param cells what became of the KV cells
 */
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
