package dev.ebb.host.metrics;

/** Takes the values of one scrape. */
public interface MetricSink {

  /**
   * A count since the start, or a value as of now.
   *
   * @param metric which; no histogram
   * @param value its value; left out if it is not a number, for nothing is known then
   * @param labels the values of its labels, in order
   */
  void put(Metric metric, double value, String... labels);

  /**
   * A whole number.
   *
   * @param metric which; no histogram
   * @param labels the values of its labels, in order
   */
  default void count(Metric metric, long value, String... labels) {
    put(metric, (double) value, labels);
  }

  /**
   * How often which value occurred since the start.
   *
   * @param histogram the counts
   * @param labels the values of its labels, in order
   */
  void put(Metric metric, Buckets histogram, String... labels);
}
