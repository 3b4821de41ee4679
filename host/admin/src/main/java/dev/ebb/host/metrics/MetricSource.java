package dev.ebb.host.metrics;

public interface MetricSource {

  /** Writes the current values. Called for each scrape, by one thread at a time. */
  void write(MetricSink sink);
}
