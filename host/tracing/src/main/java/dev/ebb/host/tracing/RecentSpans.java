package dev.ebb.host.tracing;

import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.metrics.MetricSink;
import io.opentelemetry.api.trace.SpanContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * For each bucket of the histograms of latencies, the last span with a value in it: the exemplars
 * of the OpenMetrics format. Thread-safe.
 */
final class RecentSpans {

  private record Recent(double seconds, SpanContext span, long millis) {}

  private final Map<String, AtomicReferenceArray<@Nullable Recent>> metrics =
      new ConcurrentHashMap<>();

  /**
   * Records a value of a histogram of latencies.
   *
   * @param nanos negative if there is none
   * @param span ignored unless it is sent to the collector
   */
  void add(String metric, long nanos, SpanContext span) {
    if (nanos >= 0 && span.isSampled()) {
      metrics
          .computeIfAbsent(metric, any -> new AtomicReferenceArray<>(Buckets.LATENCY_BOUNDS))
          .set(
              Buckets.latencyBucket(nanos),
              new Recent(nanos / 1e9, span, System.currentTimeMillis()));
    }
  }

  void write(MetricSink sink) {
    metrics.forEach((metric, buckets) -> {
      for (int i = 0; i < buckets.length(); i++) {
        Recent recent = buckets.get(i);
        if (recent != null) {
          sink.exemplar(
              metric,
              recent.seconds,
              recent.span.getTraceId(),
              recent.span.getSpanId(),
              recent.millis);
        }
      }
    });
  }
}
