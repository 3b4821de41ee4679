package dev.ebb.host.metrics;

/** Has numbers. */
public interface MetricSource {

  /**
   * Writes them as of now. Called for each scrape, by one thread at a time.
   *
   * @param sink where to
   */
  void write(MetricSink sink);
}
