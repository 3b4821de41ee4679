package dev.ebb.host.metrics;

import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.MultiCollector;
import java.util.List;

/** The content of {@code /metrics}: Ebb's metrics and those of the JVM. */
public final class Metrics implements AutoCloseable {

  /** The media type of {@link #scrape}. */
  public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final List<MetricSource> sources;

  /** Creates the metrics of this process. */
  public Metrics(List<MetricSource> sources) {
    this.sources = List.copyOf(sources);
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    MultiCollector own =
        () -> {
          MetricSink scrape = new MetricSink();
          this.sources.forEach(source -> source.write(scrape));
          return scrape.snapshots();
        };
    registry.getPrometheusRegistry().register(own);
  }

  /** Returns the current values of all metrics in the Prometheus text format. */
  public synchronized String scrape() {
    return registry.scrape();
  }

  /** Stops listening to the garbage collector. */
  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
