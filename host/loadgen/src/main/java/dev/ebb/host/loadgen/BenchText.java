package dev.ebb.host.loadgen;

import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.TextTemplate;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Results as text and as JSON. */
public final class BenchText {

  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  private static final TextTemplate<BenchResult> TEXT =
      TextTemplate.of(
          BenchResult.class,
          """
          server        {server}, measured for {seconds:%.1f} s
          throughput    {requestsPerSecond:%,.0f} requests/s, {gigabytesPerSecond:%.2f} GB/s of values
          requests      {requests:count}: {gets:count} GET, {sets:count} SET[{?refused}, {refused:count} refused]
          [{?gets}hit ratio     {hitRatio:%.4f}]
          latency       {percentiles}
          [{?measured}server CPU    {serverCpuSeconds:%.2f} s, {serverCpuSecondsPerGigabyte:%.3f} s per GB, {serverMicros:%.2f} µs per request]
          client CPU    {clientCpuSeconds:%.2f} s, {clientShare:%.0f %%} of one core
          [{?verified}verified      {compared:count} values compared byte by byte, {wrong:count} wrong][{?foreign}; {foreign:count} of another run, with other sizes or seed, not compared]
          [{?firstError}errors        {errors:count}, the first: {firstError}]
          [{?firstWrong}wrong values  {wrong:count}, the first: {firstWrong}]
          """,
          new Computed<>("refused", each -> each.requests() - each.gets() - each.sets()),
          new Computed<>("percentiles", BenchText::percentiles),
          new Computed<>("measured", each -> !Double.isNaN(each.serverCpuSeconds())),
          new Computed<>("serverMicros", each -> 1e6 * each.serverCpuSeconds() / each.requests()),
          new Computed<>("clientShare", each -> each.clientCpuSeconds() / each.seconds()),
          new Computed<>("verified", each -> each.compared() + each.foreign()));

  private BenchText() {}

  /** Writes a result for people: lines, each ended. */
  public static String write(BenchResult result) {
    return TEXT.text(result);
  }

  private static String percentiles(BenchResult result) {
    return DoubleStream.of(PERCENTILES)
        .mapToObj(each ->
            String.format(Locale.ROOT, "%s %.3f ms", name(each), result.latencyMillis(each)))
        .collect(Collectors.joining(", "));
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
            .values(
                result,
                "server seconds requests gets hits sets bytes requestsPerSecond gigabytesPerSecond"
                    + " hitRatio")
            .put("latencyMillis", latencies)
            .values(
                result,
                "serverCpuSeconds serverCpuSecondsPerGigabyte clientCpuSeconds errors firstError"
                    + " compared foreign wrong firstWrong")
        + System.lineSeparator();
  }

  /** Returns the name of a percentile, such as {@code p99} or {@code max}. */
  public static String name(double percentile) {
    return percentile == 100
        ? "max"
        : "p"
            + (percentile == Math.rint(percentile) ? Long.toString((long) percentile) : percentile);
  }
}
