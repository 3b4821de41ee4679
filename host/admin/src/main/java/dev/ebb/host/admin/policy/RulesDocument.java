package dev.ebb.host.admin.policy;

import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.http.Operation;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.View;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.PolicyRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rules that activate policies.
 *
 * @param active the name of the active rule; null if none is
 */
public record RulesDocument(
    String policy, String configured, boolean paused, @Nullable String active, List<Rule> rules) {

  /**
   * A rule. Values are ratios, bytes or seconds, as the watched value.
   *
   * @param above upper bound; null if the rule has a lower bound
   * @param below lower bound; null if the rule has an upper bound
   * @param now the current value; null if unknown or infinite
   * @param beyondSeconds how long the value has exceeded the bound without a break; null if it does
   *     not
   */
  public record Rule(
      String name,
      String when,
      @Nullable String of,
      @Nullable Double above,
      @Nullable Double below,
      double clearAt,
      double sustainedForSeconds,
      double minHoldSeconds,
      String policy,
      @Nullable Double now,
      boolean holds,
      @Nullable Double beyondSeconds,
      boolean active,
      @Nullable String refusal,
      long switches) {

    static Rule of(RulesReport.Item item, boolean active) {
      RuleConfig rule = item.rule();
      Duration beyond = item.beyond();
      return View.of(Rule.class, rule, item)
          .with("when", rule.when().word())
          .with("above", rule.above() ? rule.bound() : null)
          .with("below", rule.above() ? null : rule.bound())
          .with("sustainedForSeconds", seconds(rule.sustainedFor()))
          .with("minHoldSeconds", seconds(rule.minHold()))
          .with("policy", rule.policy().name())
          .with("now", item.reading())
          .with("beyondSeconds", beyond == null ? null : seconds(beyond))
          .with("active", active)
          .get();
    }

    private static double seconds(Duration time) {
      return time.toNanos() / 1e9;
    }
  }

  /** Adds the routes for the rules of a process. */
  public static void addTo(Routes routes, PolicyRuntime runtime) {
    routes
        .document(
            Operation.get(
                "/api/v1/policy/rules", RulesDocument.class, "the rules and their current values"),
            () -> of(runtime))
        .document(
            Operation.post(
                "/api/v1/policy/rules/pause",
                RulesDocument.class,
                "disables rules and activates the configured policy"),
            () -> {
              runtime.rules().pause();
              return of(runtime);
            })
        .document(
            Operation.post(
                "/api/v1/policy/rules/resume", RulesDocument.class, "enables rules again"),
            () -> {
              runtime.rules().resume();
              return of(runtime);
            });
  }

  private static RulesDocument of(PolicyRuntime runtime) {
    RulesReport report = runtime.rules().report();
    return View.of(RulesDocument.class, report)
        .with("policy", runtime.switcher().active().name())
        .with("configured", runtime.config().config().eviction().policy().name())
        .with(
            "rules",
            report.rules().stream()
                .map(item -> Rule.of(item, Objects.equals(item.rule().name(), report.active())))
                .toList())
        .get();
  }
}
