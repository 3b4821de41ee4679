package dev.ebb.host.admin.policy;

import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.http.Json;
import dev.ebb.host.rules.RulesReport;
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
   * @param sustainedForSeconds how long the bound must be exceeded
   * @param minHoldSeconds minimum time that its policy stays active
   * @param now the current value; null if unknown or infinite
   * @param beyondSeconds how long the value has exceeded the bound without a break; null if it does
   *     not
   * @param active whether this is the active rule
   * @param refusal why its policy cannot be activated; null if it can
   * @param switches how often it has activated its policy
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
      return new Rule(
          rule.name(),
          rule.when().word(),
          rule.of(),
          rule.above() ? rule.bound() : null,
          rule.above() ? null : rule.bound(),
          rule.clearAt(),
          seconds(rule.sustainedFor()),
          seconds(rule.minHold()),
          rule.policy().name(),
          Json.known(item.reading()),
          item.holds(),
          beyond == null ? null : seconds(beyond),
          active,
          item.refusal(),
          item.switches());
    }

    private static double seconds(Duration time) {
      return time.toNanos() / 1e9;
    }
  }

  static RulesDocument of(RulesReport report, String policy, String configured) {
    return new RulesDocument(
        policy,
        configured,
        report.paused(),
        report.active(),
        report.rules().stream()
            .map(item -> Rule.of(item, Objects.equals(item.rule().name(), report.active())))
            .toList());
  }
}
