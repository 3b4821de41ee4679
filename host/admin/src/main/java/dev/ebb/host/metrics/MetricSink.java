package dev.ebb.host.metrics;

/** Receives the values of one scrape. */
public interface MetricSink {

  /** Adds a count or a current value; NaN means unknown and is omitted. */
  void put(String metric, double value, String... labels);

  /** Adds an integer. */
  default void count(String metric, long value, String... labels) {
    put(metric, (double) value, labels);
  }

  /** Adds a histogram since the start. */
  void put(String metric, Buckets histogram, String... labels);
}
