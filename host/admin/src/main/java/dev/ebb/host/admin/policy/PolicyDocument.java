package dev.ebb.host.admin.policy;

import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.runtime.RuntimeConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The active eviction policy.
 *
 * @param chosen the policy that {@code auto} uses now; null if {@code auto} is not active
 * @param rule the rule that activated the policy; null if none did
 * @param previous the policy before it; null if there was none
 */
public record PolicyDocument(
    String policy,
    @Nullable String chosen,
    String configured,
    @Nullable String rule,
    boolean rulesPaused,
    StrategyDocument version,
    @Nullable StrategyDocument previous,
    List<QuarantineDocument> quarantine) {

  /** All policies, and which of them is active. */
  public record All(
      String policy,
      @Nullable String chosen,
      String configured,
      @Nullable String rule,
      boolean rulesPaused,
      @Nullable AdmissionUse admission,
      List<Described> policies) {}

  /** A policy; {@code problem} is the reason if it cannot be used. */
  public record Described(
      String name,
      @Nullable String plugin,
      @Nullable String version,
      List<SettingValue> settings,
      @Nullable String problem,
      @Nullable QuarantineDocument quarantine) {}

  /** The result of choosing a policy. */
  public record Changed(
      String policy, String before, List<RuntimeConfig.Change> changes, boolean rulesPaused) {}

  /** The result of a rollback. */
  public record RolledBack(
      String policy, String before, StrategyDocument version, boolean rulesPaused) {}
}
