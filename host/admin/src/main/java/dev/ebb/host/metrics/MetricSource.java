package dev.ebb.host.metrics;

/** A source of metrics. */
public interface MetricSource {

  /**
   * Writes the current values. Called for each scrape, by one thread at a time.
   *
   * @param sink receives the values
   */
  void write(MetricSink sink);
}
