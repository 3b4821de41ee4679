package dev.ebb.host.loadgen;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of a run.
 *
 * @param gets successful GETs
 * @param hits GETs that returned a value
 * @param errors error replies, including those before the measurement
 * @param firstError the first one's text, or null
 * @param compared values that were compared with the written ones, as with {@code errors}
 * @param foreign values that this run had not written, of another size or seed
 * @param wrong values that differ from the written ones, as with {@code errors}; 0 if none were
 *     compared
 * @param firstWrong the first such key, or null
 * @param latencies nanoseconds from sending to the last byte of the answer
 * @param serverCpuSeconds CPU time of the server; NaN if not measured
 * @param clientCpuSeconds CPU time of the load generator: if it is near {@code seconds}, the
 *     generator is the bottleneck
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
    long compared,
    long foreign,
    long wrong,
    @Nullable String firstWrong,
    Histogram latencies,
    double serverCpuSeconds,
    double clientCpuSeconds) {

  private static final double NANOS_PER_MILLI = 1e6;
  private static final double GIGA = 1e9;

  /** Returns answers a second. */
  public double requestsPerSecond() {
    return requests / seconds;
  }

  /** Returns the throughput of values: 10^9 bytes a second. */
  public double gigabytesPerSecond() {
    return bytes / GIGA / seconds;
  }

  /** Returns the hit ratio of GETs: 0 to 1; NaN without GETs. */
  public double hitRatio() {
    return gets == 0 ? Double.NaN : (double) hits / gets;
  }

  /** Returns the server's CPU time: CPU seconds for 10^9 bytes of values; NaN if not measured. */
  public double serverCpuSecondsPerGigabyte() {
    return bytes == 0 ? Double.NaN : serverCpuSeconds / (bytes / GIGA);
  }

  /**
   * Returns a percentile of the latencies.
   *
   * @param percentile 0 to 100
   */
  public double latencyMillis(double percentile) {
    return latencies.getValueAtPercentile(percentile) / NANOS_PER_MILLI;
  }

  /** Returns whether every answer was correct. */
  public boolean good() {
    return errors == 0 && wrong == 0;
  }
}
