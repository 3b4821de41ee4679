package dev.ebb.host.admin.stats;

import dev.ebb.host.admin.advice.Advice;
import dev.ebb.host.admin.advice.Advisor;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.http.Json;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.MemoryCurve;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.switching.PolicySwitcher;
import java.util.Arrays;
import java.util.List;

/** The active policy, policy switches, rules and shadows as metrics. */
public final class PolicyMetrics implements MetricSource {

  private final PolicyRuntime runtime;
  private final Advisor advisor;

  public PolicyMetrics(PolicyRuntime runtime, Advisor advisor) {
    this.runtime = runtime;
    this.advisor = advisor;
  }

  @Override
  public void write(MetricSink sink) {
    sink.count("ebb_policy_active", 1, runtime.policy());
    switches(sink, runtime.switcher());
    rules(sink, runtime.rules().report());
    shadows(sink, runtime.shadows().report());
    curve(sink, runtime.curve().report());
    advice(sink, advisor.advice());
  }

  private static void curve(MetricSink sink, MemoryCurve.Report curve) {
    curve.points().forEach(point -> point(sink, "ebb_hit_ratio_at_memory", point));
    for (MemoryCurve.Tenant tenant : curve.tenants()) {
      tenant
          .points()
          .forEach(point -> point(sink, "ebb_tenant_hit_ratio_at_memory", point, tenant.name()));
    }
  }

  private static void point(
      MetricSink sink, String metric, MemoryCurve.Point point, String... tenant) {
    String[] labels = Arrays.copyOf(tenant, tenant.length + 1);
    labels[tenant.length] = ShadowSpec.factor(point.factor());
    sink.put(metric, point.hitRatio(), labels);
    sink.put(metric + "_low", point.low(), labels);
    sink.put(metric + "_high", point.high(), labels);
  }

  private static void advice(MetricSink sink, List<Advice> advice) {
    for (Advice.Kind kind : Advice.Kind.values()) {
      String name = Json.word(kind);
      Advice given =
          advice.stream().filter(each -> each.kind().equals(name)).findFirst().orElse(null);
      sink.count("ebb_advice", given == null ? 0 : 1, name);
      Double gain = given == null ? null : given.gain();
      sink.put("ebb_advice_gain_ratio", gain == null ? 0 : gain, name);
    }
  }

  private static void switches(MetricSink sink, PolicySwitcher switcher) {
    sink.count("ebb_policy_switches_total", switcher.history().count());
    sink.count("ebb_policy_quarantine", switcher.quarantine().cases().size());
    sink.count("ebb_plugin_loaders_uncollected", switcher.uncollectedLoaders());
  }

  private static void rules(MetricSink sink, RulesReport rules) {
    for (RulesReport.Item each : rules.rules()) {
      String name = each.rule().name();
      sink.count("ebb_policy_rule_active", name.equals(rules.active()) ? 1 : 0, name);
      sink.count("ebb_policy_rule_switches_total", each.switches(), name);
    }
    sink.count("ebb_policy_rules_paused", rules.paused() ? 1 : 0);
  }

  private static void shadows(MetricSink sink, Shadows.Report report) {
    sink.put("ebb_shadow_sample_ratio", report.rate());
    for (ShadowReport each : report.candidates()) {
      String policy = each.policy();
      for (ShadowReport.State state : ShadowReport.State.values()) {
        long is = each.state() == state ? 1 : 0;
        sink.count("ebb_shadow_state", is, policy, Json.word(state));
      }
      sink.all(each, policy);
      Estimate estimate = each.estimate();
      if (estimate != null && each.enough()) {
        sink.all(estimate, policy);
        sink.put(
            "ebb_shadow_difference_ratio", estimate.hitRatio() - estimate.liveHitRatio(), policy);
      }
    }
  }
}
