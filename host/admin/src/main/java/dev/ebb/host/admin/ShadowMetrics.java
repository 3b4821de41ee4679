package dev.ebb.host.admin;

import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.shadow.Shadows;

/** What the candidates would do, as metrics. What is not known well enough is left out. */
final class ShadowMetrics {

  private ShadowMetrics() {}

  static void write(MetricSink sink, Shadows.Report report) {
    sink.put(Metric.SHADOW_SAMPLE, report.rate());
    for (ShadowReport each : report.candidates()) {
      String policy = each.policy();
      for (ShadowReport.State state : ShadowReport.State.values()) {
        long is = each.state() == state ? 1 : 0;
        sink.count(Metric.SHADOW_STATE, is, policy, EvictionDocument.word(state));
      }
      sink.put(Metric.SHADOW_ACCESS_SECONDS, each.nanosPerAccess() / 1e9, policy);
      sink.count(Metric.SHADOW_DROPPED, each.dropped(), policy);
      Estimate estimate = each.estimate();
      if (estimate != null && each.enough()) {
        sink.put(Metric.SHADOW_HIT_RATIO, estimate.hitRatio(), policy);
        sink.put(Metric.SHADOW_HIT_RATIO_LOW, estimate.low(), policy);
        sink.put(Metric.SHADOW_HIT_RATIO_HIGH, estimate.high(), policy);
        sink.put(Metric.SHADOW_DIFFERENCE, estimate.hitRatio() - estimate.liveHitRatio(), policy);
      }
    }
  }
}
