package dev.ebb.host.metrics;

import dev.ebb.host.cache.stats.Histogram;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Exemplar;
import io.prometheus.metrics.model.snapshots.Exemplars;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

public final class MetricSink {

  private final Map<Metric, List<DataPointSnapshot>> points = new LinkedHashMap<>();

  private final Map<Metric, List<Exemplar>> exemplars = new LinkedHashMap<>();

  MetricSink() {}

  /**
   * Adds the values of all metrics that have these statistics as their source.
   *
   * @param labels the values of their labels, in order, without those of the sources
   */
  public void all(Object statistics, String... labels) {
    for (Metric.Sourced each : Metric.from(statistics)) {
      add(each.metric(), each.source(), each.source().of(statistics), labels);
    }
  }

  private void add(Metric metric, Metric.Source source, List<?> values, String... labels) {
    String[] all = source.label().isEmpty() ? labels : with(labels, source.label());
    if (values.isEmpty()) {
      return;
    }
    if (values.getFirst() instanceof Histogram) {
      put(metric, Buckets.latencies(values.stream().map(Histogram.class::cast).toList()), all);
    } else {
      put(metric, values.stream().mapToDouble(MetricSink::number).sum() / source.divisor(), all);
    }
  }

  private static double number(Object value) {
    return value instanceof Boolean flag ? flag ? 1 : 0 : ((Number) value).doubleValue();
  }

  private static String[] with(String[] labels, String last) {
    return Stream.concat(Arrays.stream(labels), Stream.of(last)).toArray(String[]::new);
  }

  public void count(String name, long value, String... labels) {
    put(name, (double) value, labels);
  }

  /**
   * Adds a count since the start or a current value.
   *
   * @param value the value; NaN means unknown and is omitted
   * @param labels the values of its labels, in order
   */
  public void put(String name, double value, String... labels) {
    put(Metric.named(name), value, labels);
  }

  private void put(Metric metric, double value, String... labels) {
    if (Double.isNaN(value)) {
      return;
    }
    Labels named = named(metric, labels);
    add(
        metric,
        switch (metric.kind()) {
          case COUNTER -> new CounterSnapshot.CounterDataPointSnapshot(value, named, null, 0L);
          case GAUGE -> new GaugeSnapshot.GaugeDataPointSnapshot(value, named, null);
          case HISTOGRAM -> throw new IllegalArgumentException(metric.name() + " is a histogram");
        });
  }

  public void put(String name, Buckets histogram, String... labels) {
    put(Metric.named(name), histogram, labels);
  }

  private void put(Metric metric, Buckets histogram, String... labels) {
    if (metric.kind() != Metric.Kind.HISTOGRAM) {
      throw new IllegalArgumentException(metric.name() + " is not a histogram");
    }
    ClassicHistogramBuckets buckets =
        ClassicHistogramBuckets.of(histogram.bounds(), histogram.counts());
    add(
        metric,
        HistogramSnapshot.HistogramDataPointSnapshot.builder()
            .classicHistogramBuckets(buckets)
            .sum(histogram.sum())
            .labels(named(metric, labels))
            .build());
  }

  /**
   * Adds a span in which a value of a histogram without labels was measured. Only the OpenMetrics
   * format has exemplars.
   *
   * @param value in the unit of the histogram
   * @param millis when the span ended, since 1970
   */
  public void exemplar(String name, double value, String traceId, String spanId, long millis) {
    exemplars
        .computeIfAbsent(Metric.named(name), any -> new ArrayList<>())
        .add(
            Exemplar.builder()
                .value(value)
                .traceId(traceId)
                .spanId(spanId)
                .timestampMillis(millis)
                .build());
  }

  private void add(Metric metric, DataPointSnapshot point) {
    points.computeIfAbsent(metric, any -> new ArrayList<>()).add(point);
  }

  private static Labels named(Metric metric, String[] values) {
    return Labels.of(metric.labels().toArray(String[]::new), values);
  }

  MetricSnapshots snapshots() {
    List<MetricSnapshot> snapshots = new ArrayList<>();
    points.forEach((metric, values) -> snapshots.add(snapshot(metric, values)));
    return new MetricSnapshots(snapshots);
  }

  private MetricSnapshot snapshot(Metric metric, List<DataPointSnapshot> values) {
    MetricMetadata metadata = new MetricMetadata(metric.baseName(), metric.help());
    return switch (metric.kind()) {
      case COUNTER ->
          new CounterSnapshot(metadata, of(values, CounterSnapshot.CounterDataPointSnapshot.class));
      case GAUGE ->
          new GaugeSnapshot(metadata, of(values, GaugeSnapshot.GaugeDataPointSnapshot.class));
      case HISTOGRAM ->
          new HistogramSnapshot(
              metadata,
              of(values, HistogramSnapshot.HistogramDataPointSnapshot.class).stream()
                  .map(point -> withExemplars(metric, point))
                  .toList());
    };
  }

  private HistogramSnapshot.HistogramDataPointSnapshot withExemplars(
      Metric metric, HistogramSnapshot.HistogramDataPointSnapshot point) {
    return HistogramSnapshot.HistogramDataPointSnapshot.builder()
        .classicHistogramBuckets(point.getClassicBuckets())
        .sum(point.getSum())
        .labels(point.getLabels())
        .exemplars(Exemplars.of(exemplars.getOrDefault(metric, List.of())))
        .build();
  }

  private static <P> List<P> of(List<DataPointSnapshot> values, Class<P> type) {
    return values.stream().map(type::cast).toList();
  }
}
