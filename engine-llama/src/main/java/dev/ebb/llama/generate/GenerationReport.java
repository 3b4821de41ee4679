package dev.ebb.llama.generate;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

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

  /** Writes the statistics as text. */
  void text(PrintWriter err, String policy) {
    line(err, "prompt     %,d tokens, %.1f tokens/s", promptTokens, promptRate());
    line(
        err,
        "answer     %,d tokens, %.1f tokens/s; ended by %s",
        generatedTokens,
        generationRate(),
        ending.word());
    line(err, "cells      %,d used of %,d, at most %,d", cells.used, cells.cells, cells.peak);
    line(
        err,
        "eviction   %s: %,d tokens dropped in %,d evictions",
        policy,
        cells.evicted,
        cells.evictions);
  }

  private static void line(PrintWriter err, String format, Object... facts) {
    err.println(String.format(Locale.ROOT, format, facts));
  }

  String json(String model, String policy, String text) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      json.writeStringProperty("model", model);
      json.writeStringProperty("evictionPolicy", policy);
      json.writeStringProperty("text", text);
      json.writeStringProperty("ending", ending.word());
      json.writeNumberProperty("promptTokens", promptTokens);
      json.writeNumberProperty("generatedTokens", generatedTokens);
      json.writeNumberProperty("promptTokensPerSecond", promptRate());
      json.writeNumberProperty("generatedTokensPerSecond", generationRate());
      json.writeNumberProperty("cells", cells.cells);
      json.writeNumberProperty("cellsUsed", cells.used);
      json.writeNumberProperty("cellsPeak", cells.peak);
      json.writeNumberProperty("evictions", cells.evictions);
      json.writeNumberProperty("evictedTokens", cells.evicted);
      json.writeEndObject();
    }
    return out.toString();
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
