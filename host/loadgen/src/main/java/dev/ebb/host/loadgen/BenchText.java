package dev.ebb.host.loadgen;

import java.io.StringWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Results as text and as JSON. */
public final class BenchText {

  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  private BenchText() {}

  /**
   * Writes a result for people.
   *
   * @return lines, each ended
   */
  public static String write(BenchResult result) {
    StringBuilder text = new StringBuilder();
    line(text, "server", "%s, measured for %.1f s", result.server(), result.seconds());
    line(
        text,
        "throughput",
        "%,.0f requests/s, %.2f GB/s of values",
        result.requestsPerSecond(),
        result.gigabytesPerSecond());
    long refused = result.requests() - result.gets() - result.sets();
    line(
        text,
        "requests",
        "%,d: %,d GET, %,d SET%s",
        result.requests(),
        result.gets(),
        result.sets(),
        refused == 0 ? "" : String.format(Locale.ROOT, ", %,d refused", refused));
    if (result.gets() > 0) {
      line(text, "hit ratio", "%.4f", result.hitRatio());
    }
    StringBuilder latencies = new StringBuilder();
    for (double percentile : PERCENTILES) {
      latencies.append(
          String.format(
              Locale.ROOT,
              "%s%s %.3f ms",
              latencies.isEmpty() ? "" : ", ",
              name(percentile),
              result.latencyMillis(percentile)));
    }
    line(text, "latency", "%s", latencies);
    if (!Double.isNaN(result.serverCpuSeconds())) {
      line(
          text,
          "server CPU",
          "%.2f s, %.3f s per GB, %.2f µs per request",
          result.serverCpuSeconds(),
          result.serverCpuSecondsPerGigabyte(),
          1e6 * result.serverCpuSeconds() / result.requests());
    }
    line(
        text,
        "client CPU",
        "%.2f s, %.0f %% of one core",
        result.clientCpuSeconds(),
        100 * result.clientCpuSeconds() / result.seconds());
    if (result.compared() + result.foreign() > 0) {
      line(
          text,
          "verified",
          "%,d values compared byte by byte, %,d wrong%s",
          result.compared(),
          result.wrong(),
          result.foreign() == 0
              ? ""
              : String.format(
                  Locale.ROOT,
                  "; %,d of another run, with other sizes or seed, not compared",
                  result.foreign()));
    }
    faults(text, "errors", result.errors(), result.firstError());
    faults(text, "wrong values", result.wrong(), result.firstWrong());
    return text.toString();
  }

  /**
   * Writes a result for programs: counts, seconds, milliseconds, 10^9 bytes; unknown values are
   * null.
   *
   * @return one line, ended
   */
  public static String json(BenchResult result) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("server", result.server());
      number(json, "seconds", result.seconds());
      json.writeNumberProperty("requests", result.requests());
      json.writeNumberProperty("gets", result.gets());
      json.writeNumberProperty("hits", result.hits());
      json.writeNumberProperty("sets", result.sets());
      json.writeNumberProperty("bytes", result.bytes());
      number(json, "requestsPerSecond", result.requestsPerSecond());
      number(json, "gigabytesPerSecond", result.gigabytesPerSecond());
      number(json, "hitRatio", result.hitRatio());
      json.writeObjectPropertyStart("latencyMillis");
      for (double percentile : PERCENTILES) {
        number(json, name(percentile), result.latencyMillis(percentile));
      }
      json.writeEndObject();
      number(json, "serverCpuSeconds", result.serverCpuSeconds());
      number(json, "serverCpuSecondsPerGigabyte", result.serverCpuSecondsPerGigabyte());
      number(json, "clientCpuSeconds", result.clientCpuSeconds());
      json.writeNumberProperty("errors", result.errors());
      json.writeStringProperty("firstError", result.firstError());
      json.writeNumberProperty("compared", result.compared());
      json.writeNumberProperty("foreign", result.foreign());
      json.writeNumberProperty("wrong", result.wrong());
      json.writeStringProperty("firstWrong", result.firstWrong());
      json.writeEndObject();
    }
    return text.append(System.lineSeparator()).toString();
  }

  /** Returns the name of a percentile, such as {@code p99} or {@code max}. */
  public static String name(double percentile) {
    return percentile == 100
        ? "max"
        : "p"
            + (percentile == Math.rint(percentile) ? Long.toString((long) percentile) : percentile);
  }

  public static void faults(StringBuilder text, String label, long count, @Nullable String first) {
    if (first != null) {
      line(text, label, "%,d, the first: %s", count, first);
    }
  }

  public static void number(JsonGenerator json, String name, double value) {
    if (Double.isFinite(value)) {
      json.writeNumberProperty(name, value);
    } else {
      json.writeNullProperty(name);
    }
  }

  /** Writes one line of a report, with its label. */
  public static void line(StringBuilder out, String label, String format, Object... values) {
    out.append(
        String.format(
            Locale.ROOT, "%-13s %s%n", label, String.format(Locale.ROOT, format, values)));
  }
}
