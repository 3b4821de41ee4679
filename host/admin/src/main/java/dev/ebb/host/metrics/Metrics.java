package dev.ebb.host.metrics;

import dev.ebb.host.http.Reply;
import dev.ebb.host.http.ServerRequest;
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
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

public final class Metrics implements AutoCloseable {

  /** The media type of the Prometheus text format. */
  public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final String OPEN_METRICS = "application/openmetrics-text";

  private static final Pattern QUALITY =
      Pattern.compile(";\\s*q=([01](?:\\.\\d{0,3})?)\\s*(?:;|$)");

  private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(new StrictConfig());
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final List<MetricSource> sources;

  /** Micrometer's own puts exemplars on counts too, which OpenMetrics does not allow. */
  private static final class StrictConfig implements PrometheusConfig {

    @Override
    public @Nullable String get(String key) {
      return null;
    }

    @Override
    public Properties prometheusProperties() {
      return new Properties();
    }
  }

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

  /**
   * Returns the current values of all metrics: in the OpenMetrics format, which has exemplars, if
   * the client prefers it, and otherwise in the Prometheus text format.
   */
  public synchronized Reply reply(ServerRequest request) {
    String accepted = request.header("Accept");
    String type =
        prefersOpenMetrics(accepted) ? OPEN_METRICS + "; version=1.0.0; charset=utf-8" : TYPE;
    return Reply.text(type, scrape(type));
  }

  /**
   * Writes the text on a platform thread. On a virtual thread, the buffer of the JDK's writer
   * begins small and grows with each word, which allocates 20 MB for 27 kB of text.
   */
  private String scrape(String type) {
    return CompletableFuture.supplyAsync(
            () -> registry.scrape(type),
            work -> Thread.ofPlatform().name("ebb-metrics").daemon().start(work))
        .join();
  }

  static boolean prefersOpenMetrics(@Nullable String accepted) {
    double open = quality(accepted, OPEN_METRICS);
    return open > 0 && open >= quality(accepted, "text/plain");
  }

  /** Returns the highest quality of a media type in a header Accept; 0 if it is not named. */
  private static double quality(@Nullable String accepted, String type) {
    return Pattern.compile(",")
        .splitAsStream(accepted == null ? "" : accepted)
        .map(String::strip)
        .filter(range -> range.split(";", 2)[0].strip().equalsIgnoreCase(type))
        .map(QUALITY::matcher)
        .mapToDouble(quality -> quality.find() ? Double.parseDouble(quality.group(1)) : 1)
        .max()
        .orElse(0);
  }

  /** Stops listening to the garbage collector. */
  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
