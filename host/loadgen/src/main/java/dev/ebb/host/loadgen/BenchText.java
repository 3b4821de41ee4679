package dev.ebb.host.loadgen;

import dev.ebb.host.htmlreport.JsonFields;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

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
        refused == 0 ? "" : format(", %,d refused", refused));
    if (result.gets() > 0) {
      line(text, "hit ratio", "%.4f", result.hitRatio());
    }
    line(
        text,
        "latency",
        "%s",
        DoubleStream.of(PERCENTILES)
            .mapToObj(percentile ->
                format("%s %.3f ms", name(percentile), result.latencyMillis(percentile)))
            .collect(Collectors.joining(", ")));
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
              : format(
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
    JsonFields latencies = new JsonFields();
    for (double percentile : PERCENTILES) {
      latencies.number(name(percentile), result.latencyMillis(percentile));
    }
    return new JsonFields()
            .put("server", result.server())
            .number("seconds", result.seconds())
            .put("requests", result.requests())
            .put("gets", result.gets())
            .put("hits", result.hits())
            .put("sets", result.sets())
            .put("bytes", result.bytes())
            .number("requestsPerSecond", result.requestsPerSecond())
            .number("gigabytesPerSecond", result.gigabytesPerSecond())
            .number("hitRatio", result.hitRatio())
            .put("latencyMillis", latencies)
            .number("serverCpuSeconds", result.serverCpuSeconds())
            .number("serverCpuSecondsPerGigabyte", result.serverCpuSecondsPerGigabyte())
            .number("clientCpuSeconds", result.clientCpuSeconds())
            .put("errors", result.errors())
            .put("firstError", result.firstError())
            .put("compared", result.compared())
            .put("foreign", result.foreign())
            .put("wrong", result.wrong())
            .put("firstWrong", result.firstWrong())
        + System.lineSeparator();
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

  /** Writes one line of a report, with its label. */
  public static void line(StringBuilder out, String label, String format, Object... values) {
    out.append(format("%-13s %s%n", label, format(format, values)));
  }

  static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
