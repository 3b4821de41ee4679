package dev.ebb.host.runtime;

import com.typesafe.config.ConfigUtil;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.policy.PolicyFactory;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds errors in a configuration change that only plugins can detect. Errors that existed before
 * the change, such as a missing JAR, do not block it.
 */
final class ConfigValidator {

  private final PolicyFactory factory;
  private final PolicyFactory trial;
  private final EbbConfig before;
  private final EbbConfig next;
  private final Set<String> explicitKeys;

  /**
   * Creates a validator.
   *
   * @param explicitKeys the full keys that the change sets; keys that it unsets are not included
   */
  ConfigValidator(
      PolicyFactory factory, EbbConfig before, EbbConfig next, Set<String> explicitKeys) {
    this.factory = factory;
    this.before = before;
    this.next = next;
    this.explicitKeys = explicitKeys;
    trial = factory.with(next);
  }

  List<String> problems() {
    List<String> ofSettings = ofSettings().toList();
    return ofSettings.isEmpty()
        ? Stream.of(ofPolicy(), ofShadows(), ofRules()).flatMap(each -> each).toList()
        : ofSettings;
  }

  private Stream<String> ofSettings() {
    StrategySettings settings = next.eviction().policies();
    return settings.names().stream()
        .filter(name -> factory.isChanged(next, name))
        .flatMap(name -> {
          Stream<String> problems = trial.problems(PolicySpec.of(name)).stream();
          if (factory.names().contains(name) || PolicyFactory.BUILT_IN.contains(name)) {
            // The message already names the setting.
            return problems;
          }
          String place = place(settings.where(name)) + settings.pathOf(name) + ": ";
          return isGiven(settings, name) ? problems.map(problem -> place + problem) : Stream.of();
        });
  }

  /**
   * Returns whether the change sets a value for a name. A change that only unsets values may name a
   * policy that no longer exists.
   */
  private boolean isGiven(StrategySettings settings, String name) {
    List<String> section = ConfigUtil.splitPath(settings.path());
    return explicitKeys.stream()
        .map(ConfigUtil::splitPath)
        .anyMatch(key ->
            key.size() > section.size()
                && key.subList(0, section.size()).equals(section)
                && key.get(section.size()).equals(name));
  }

  private Stream<String> ofPolicy() {
    Choice chosen = next.eviction().policy();
    return chosen.name().equals(before.eviction().policy().name())
        ? Stream.of()
        : problems(chosen, isByOperator(chosen.where()) ? "" : EvictionConfig.POLICY + ": ");
  }

  private Stream<String> ofShadows() {
    List<PolicySpec> known = ShadowSpec.named(before.shadow().policies());
    return ShadowSpec.named(next.shadow().policies()).stream()
        .filter(spec -> !known.contains(spec))
        .flatMap(spec -> trial.problems(spec).stream())
        .map(problem -> place(next.shadow().where()) + ShadowConfig.POLICIES + ": " + problem);
  }

  private Stream<String> ofRules() {
    List<RuleConfig> rules = before.eviction().rules();
    return next.eviction().rules().stream()
        .filter(rule -> rules.stream().noneMatch(rule::isLike))
        .flatMap(rule -> problems(rule.policy(), rule.policyPath() + ": "));
  }

  private Stream<String> problems(Choice policy, String key) {
    return trial.problems(PolicySpec.of(policy.name())).stream()
        .map(problem -> place(policy.where()) + key + problem);
  }

  private static String place(@Nullable String where) {
    return where == null || isByOperator(where) ? "" : where + ": ";
  }

  private static boolean isByOperator(@Nullable String where) {
    return ConfigOverride.ADMIN.equals(where);
  }
}
