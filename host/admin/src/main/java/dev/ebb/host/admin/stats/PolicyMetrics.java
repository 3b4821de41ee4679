package dev.ebb.host.admin.stats;

import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.switching.PolicySwitcher;

/** The active policy, policy switches, rules and shadows as metrics. */
public final class PolicyMetrics implements MetricSource {

  private final PolicyRuntime runtime;

  public PolicyMetrics(PolicyRuntime runtime) {
    this.runtime = runtime;
  }

  @Override
  public void write(MetricSink sink) {
    sink.count(Metric.POLICY, 1, runtime.policy());
    switches(sink, runtime.switcher());
    rules(sink, runtime.rules().report());
    shadows(sink, runtime.shadows().report());
  }

  private static void switches(MetricSink sink, PolicySwitcher switcher) {
    sink.count(Metric.POLICY_SWITCHES, switcher.history().count());
    sink.count(Metric.POLICY_QUARANTINE, switcher.quarantine().cases().size());
    sink.count(Metric.PLUGIN_LOADERS, switcher.uncollectedLoaders());
  }

  private static void rules(MetricSink sink, RulesReport rules) {
    for (RulesReport.Item each : rules.rules()) {
      String name = each.rule().name();
      sink.count(Metric.POLICY_RULE, name.equals(rules.active()) ? 1 : 0, name);
      sink.count(Metric.POLICY_RULE_SWITCHES, each.switches(), name);
    }
    sink.count(Metric.POLICY_RULES_PAUSED, rules.paused() ? 1 : 0);
  }

  private static void shadows(MetricSink sink, Shadows.Report report) {
    sink.put(Metric.SHADOW_SAMPLE, report.rate());
    for (ShadowReport each : report.candidates()) {
      String policy = each.policy();
      for (ShadowReport.State state : ShadowReport.State.values()) {
        long is = each.state() == state ? 1 : 0;
        sink.count(Metric.SHADOW_STATE, is, policy, Json.word(state));
      }
      sink.put(Metric.SHADOW_ACCESS_SECONDS, each.nanosPerAccess() / 1e9, policy);
      sink.count(Metric.SHADOW_DROPPED, each.dropped(), policy);
      Estimate estimate = each.estimate();
      if (estimate != null && each.enough()) {
        sink.put(Metric.SHADOW_HIT_RATIO, estimate.hitRatio(), policy);
        sink.put(Metric.SHADOW_HIT_RATIO_LOW, estimate.low(), policy);
        sink.put(Metric.SHADOW_HIT_RATIO_HIGH, estimate.high(), policy);
        sink.put(Metric.SHADOW_PREFIX_HIT_RATIO, estimate.prefixHitRatio(), policy);
        sink.put(Metric.SHADOW_DIFFERENCE, estimate.hitRatio() - estimate.liveHitRatio(), policy);
      }
    }
  }
}
