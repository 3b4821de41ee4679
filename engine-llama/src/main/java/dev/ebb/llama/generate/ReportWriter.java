package dev.ebb.llama.generate;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Writes the statistics of an answer, as text or as JSON. */
final class ReportWriter {

  private ReportWriter() {}

  static void text(PrintWriter err, String policy, GenerationReport report) {
    GenerationReport.Cells cells = report.cells();
    line(err, "prompt     %,d tokens, %.1f tokens/s", report.promptTokens(), report.promptRate());
    line(
        err,
        "answer     %,d tokens, %.1f tokens/s; ended by %s",
        report.generatedTokens(),
        report.generationRate(),
        report.ending().word());
    line(err, "cells      %,d used of %,d, at most %,d", cells.used(), cells.cells(), cells.peak());
    line(
        err,
        "eviction   %s: %,d tokens dropped in %,d evictions",
        policy,
        cells.evicted(),
        cells.evictions());
  }

  private static void line(PrintWriter err, String format, Object... facts) {
    err.println(String.format(Locale.ROOT, format, facts));
  }

  static String json(String model, String policy, String text, GenerationReport report) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
      json.writeStartObject();
      json.writeStringProperty("model", model);
      json.writeStringProperty("evictionPolicy", policy);
      json.writeStringProperty("text", text);
      json.writeStringProperty("ending", report.ending().word());
      json.writeNumberProperty("promptTokens", report.promptTokens());
      json.writeNumberProperty("generatedTokens", report.generatedTokens());
      json.writeNumberProperty("promptTokensPerSecond", report.promptRate());
      json.writeNumberProperty("generatedTokensPerSecond", report.generationRate());
      json.writeNumberProperty("cells", report.cells().cells());
      json.writeNumberProperty("cellsUsed", report.cells().used());
      json.writeNumberProperty("cellsPeak", report.cells().peak());
      json.writeNumberProperty("evictions", report.cells().evictions());
      json.writeNumberProperty("evictedTokens", report.cells().evicted());
      json.writeEndObject();
    }
    return out.toString();
  }
}
