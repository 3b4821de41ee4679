package dev.ebb.host.loadgen;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The counters of answers since they were last cleared, and of all errors. */
final class LoadCounters {

  private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
  private static final int DIGITS = 3;

  final Histogram latencies = new Histogram(1_000, LONGEST, DIGITS);
  long requests;
  long gets;
  long hits;
  long sets;
  long bytes;
  long errors;
  long compared;
  long wrong;
  long foreign;
  @Nullable String firstError;
  @Nullable String firstWrong;

  /** Clears the counters, but not the errors and comparisons. */
  void clear() {
    latencies.reset();
    requests = 0;
    gets = 0;
    hits = 0;
    sets = 0;
    bytes = 0;
  }

  void error(String text) {
    errors++;
    if (firstError == null) {
      firstError = text;
    }
  }

  void wrong(long id) {
    wrong++;
    if (firstWrong == null) {
      firstWrong = "bench:%016x".formatted(id);
    }
  }

  void latency(long nanos) {
    latencies.recordValue(Math.min(nanos, LONGEST));
  }
}
