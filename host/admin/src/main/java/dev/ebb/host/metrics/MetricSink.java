package dev.ebb.host.metrics;

/** Receives the values of one scrape. */
public interface MetricSink {

  /**
   * Adds a count since the start or a current value.
   *
   * @param metric the name of the metric; not a histogram
   * @param value its value; NaN means unknown and is omitted
   * @param labels the values of its labels, in order
   */
  void put(String metric, double value, String... labels);

  /**
   * Adds an integer.
   *
   * @param metric the name of the metric; not a histogram
   * @param labels the values of its labels, in order
   */
  default void count(String metric, long value, String... labels) {
    put(metric, (double) value, labels);
  }

  /**
   * Adds a histogram since the start.
   *
   * @param histogram the counts
   * @param labels the values of its labels, in order
   */
  void put(String metric, Buckets histogram, String... labels);
}
