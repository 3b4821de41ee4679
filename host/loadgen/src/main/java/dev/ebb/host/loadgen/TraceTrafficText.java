package dev.ebb.host.loadgen;

import dev.ebb.host.replay.ReplayTable;
import java.io.StringWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The results of {@link TraceTraffic} as text and as JSON. */
public final class TraceTrafficText {

  private static final double[] PERCENTILES = {50, 99, 100};

  private TraceTrafficText() {}

  /**
   * Writes a result for people.
   *
   * @param trace its name
   * @return lines, each ended
   */
  public static String write(String trace, TraceTrafficResult result) {
    StringBuilder text = new StringBuilder();
    BenchText.line(text, "trace", "%s through %s", trace, result.server());
    BenchText.line(
        text,
        "requests",
        "%,d of %,d chunks, in %.1f s",
        result.requests(),
        result.chunks(),
        result.seconds());
    ReplayTable.skipped(text, result.skippedLines(), result.skippedReasons());
    BenchText.line(text, "prefix hits", "%.4f: %,d chunks", result.hitRatio(), result.hits());
    BenchText.line(text, "lost", "%,d chunks were found by EXISTS and not by GET", result.lost());
    BenchText.line(
        text,
        "resident",
        "%,d of %,d different chunks at the end, %.2f %% of them unreachable",
        result.resident(),
        result.distinct(),
        100 * result.unreachableShare());
    if (result.split() > 0) {
      BenchText.line(
          text, "split", "%,d more chunks have the values of some ranks only", result.split());
    }
    if (result.requests() > 0) {
      BenchText.line(
          text,
          "latency",
          "of a request: p50 %.3f ms, p99 %.3f ms, max %.3f ms",
          millis(result, 50),
          millis(result, 99),
          millis(result, 100));
    }
    if (result.wrong() > 0) {
      BenchText.line(
          text,
          "wrong values",
          "%,d; chunks of an earlier run with another --value-size or --seed are wrong too",
          result.wrong());
    }
    BenchText.faults(text, "errors", result.errors(), result.firstError());
    return text.toString();
  }

  /**
   * Writes a result for programs: counts, seconds, milliseconds; unknown values are null.
   *
   * @param trace its name
   * @return one line, ended
   */
  public static String json(String trace, TraceTrafficResult result) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("trace", trace);
      json.writeStringProperty("server", result.server());
      BenchText.number(json, "seconds", result.seconds());
      json.writeNumberProperty("requests", result.requests());
      json.writeNumberProperty("chunks", result.chunks());
      json.writeNumberProperty("hits", result.hits());
      BenchText.number(json, "hitRatio", result.hitRatio());
      json.writeNumberProperty("lost", result.lost());
      json.writeNumberProperty("skippedLines", result.skippedLines());
      json.writeArrayPropertyStart("skippedReasons");
      result.skippedReasons().forEach(json::writeString);
      json.writeEndArray();
      json.writeNumberProperty("distinct", result.distinct());
      json.writeNumberProperty("resident", result.resident());
      json.writeNumberProperty("split", result.split());
      json.writeNumberProperty("unreachable", result.unreachable());
      json.writeObjectPropertyStart("latencyMillis");
      for (double percentile : PERCENTILES) {
        BenchText.number(json, BenchText.name(percentile), millis(result, percentile));
      }
      json.writeEndObject();
      json.writeNumberProperty("wrong", result.wrong());
      json.writeNumberProperty("errors", result.errors());
      json.writeStringProperty("firstError", result.firstError());
      json.writeEndObject();
    }
    return text.append(System.lineSeparator()).toString();
  }

  private static double millis(TraceTrafficResult result, double percentile) {
    return result.latencies().getTotalCount() == 0
        ? Double.NaN
        : result.latencies().getValueAtPercentile(percentile) / 1e6;
  }
}
