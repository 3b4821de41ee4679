package dev.ebb.host.loadgen;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What was measured.
 *
 * @param server where
 * @param seconds how long
 * @param requests answered
 * @param gets of them, GETs that were not errors
 * @param hits of those, the ones that found a value
 * @param sets of the requests, SETs that were not errors
 * @param bytes of values read and written
 * @param errors error replies, those before anything was measured included
 * @param firstError the first one's text, or null
 * @param wrong values that were not what was written, as with {@code errors}; 0 if none were
 *     compared
 * @param firstWrong the first such key, or null
 * @param latencies nanoseconds from asking to the last byte of the answer
 * @param serverCpuSeconds CPU time of the server; NaN if not measured
 * @param clientCpuSeconds CPU time of the load generator: near {@code seconds}, it is what limits
 */
public record BenchResult(
    String server,
    double seconds,
    long requests,
    long gets,
    long hits,
    long sets,
    long bytes,
    long errors,
    @Nullable String firstError,
    long wrong,
    @Nullable String firstWrong,
    Histogram latencies,
    double serverCpuSeconds,
    double clientCpuSeconds) {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double GIGA = 1e9;

  /**
   * Throughput.
   *
   * @return answers a second
   */
  public double requestsPerSecond() {
    return requests / seconds;
  }

  /**
   * Throughput of values.
   *
   * @return 10^9 bytes a second
   */
  public double gigabytesPerSecond() {
    return bytes / GIGA / seconds;
  }

  /**
   * How often a GET found a value.
   *
   * @return 0 to 1; NaN without GETs
   */
  public double hitRatio() {
    return gets == 0 ? Double.NaN : (double) hits / gets;
  }

  /**
   * What the server spends.
   *
   * @return CPU seconds for 10^9 bytes of values; NaN if not measured
   */
  public double serverCpuSecondsPerGigabyte() {
    return bytes == 0 ? Double.NaN : serverCpuSeconds / (bytes / GIGA);
  }

  /**
   * A latency that so many answers did not exceed.
   *
   * @param percentile 0 to 100
   * @return milliseconds
   */
  public double latencyMillis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
  }

  /**
   * Whether every answer was what it should be.
   *
   * @return true if there were neither errors nor wrong values
   */
  public boolean good() {
    return errors == 0 && wrong == 0;
  }
}
