package dev.ebb.host.policy;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.ShadowConfig;
import dev.ebb.host.config.ShadowSpec;
import dev.ebb.host.config.engine.SchedulerConfig;
import dev.ebb.host.config.engine.TokensConfig;
import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.plugin.PluginCatalog;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginHost;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.tokens.BudgetRules;
import dev.ebb.host.tokens.TokenAlias;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks names and settings that only plugins know. To check the settings, it makes an instance,
 * because only a provider knows its settings.
 */
public final class PolicyCheck {

  private final EbbConfig config;
  private final PluginHost plugins;
  private final PolicyFactory factory;

  /**
   * Creates a check.
   *
   * @param plugins the catalog
   * @param factory makes trial instances
   */
  @Inject
  public PolicyCheck(EbbConfig config, PluginHost plugins, PolicyFactory factory) {
    this.config = config;
    this.plugins = plugins;
    this.factory = factory;
  }

  /** Returns the problems in the strategies' parts of the configuration, one message each. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>();
    chosen(StrategyKind.POLICY, EvictionConfig.POLICY.path(), config.eviction().policy(), problems);
    config
        .eviction()
        .rules()
        .forEach(rule -> chosen(StrategyKind.POLICY, rule.policyPath(), rule.policy(), problems));
    ShadowConfig shadows = config.shadow();
    ShadowSpec.named(shadows.policies())
        .forEach(each -> {
          String way = exists(each.name()) ? "" : gone("take it out of the list");
          factory.problems(each).stream()
              .map(problem ->
                  "%s: %s: %s%s".formatted(shadows.where(), ShadowConfig.POLICIES, problem, way))
              .forEach(problems::add);
        });
    Choice tokens = config.tokens().policy();
    chosen(
        StrategyKind.TOKEN_POLICY,
        TokensConfig.POLICY.path(),
        new Choice(TokenAlias.policyOf(tokens.name()), tokens.where()),
        problems);
    Choice budget = config.tokens().budget();
    if (!BudgetRules.NAMES.contains(budget.name())) {
      chosen(StrategyKind.TOKEN_BUDGET, TokensConfig.BUDGET.path(), budget, problems);
    }
    Choice preemption = config.scheduler().preemption();
    if (!SchedulerConfig.BUILT_IN.contains(preemption.name())) {
      chosen(StrategyKind.PREEMPTION, SchedulerConfig.PREEMPTION.path(), preemption, problems);
    }
    StrategyKind.ALL.forEach(kind -> configured(kind, problems));
    return problems.stream().distinct().toList();
  }

  private void chosen(StrategyKind<?> kind, String key, Choice choice, List<String> problems) {
    String where = choice.where();
    if (where == null || choice.name().equals(NoEviction.NAME)) {
      return;
    }
    try {
      if (isAuto(kind, choice.name())) {
        if (config.eviction().policies().names().contains(AutoPolicy.NAME)) {
          // Its section is checked with the others.
          return;
        }
        UserError.throwIfAny(factory.problems(PolicySpec.of(choice.name())));
      } else {
        plugins.catalog().strategy(kind, choice.name());
      }
    } catch (UserError error) {
      problems.addAll(error.at(where + ": " + key).messages());
    }
  }

  private void configured(StrategyKind<?> kind, List<String> problems) {
    StrategySettings settings = kind.settingsIn().apply(config);
    for (String name : settings.names()) {
      try {
        if (!isAuto(kind, name)) {
          plugins.catalog().strategy(kind, name);
        }
      } catch (UserError error) {
        if (isMistake(kind, name)) {
          error.at(settings.where(name)).messages().stream()
              .map(problem -> problem + gone("remove this section"))
              .forEach(problems::add);
        }
        continue;
      }
      try {
        factory.trial(kind, name).close();
      } catch (UserError error) {
        problems.addAll(error.messages());
      } catch (PluginFailure failure) {
        problems.add(failure.getMessage());
      }
    }
  }

  private static boolean isAuto(StrategyKind<?> kind, String name) {
    return kind == StrategyKind.POLICY && name.equals(AutoPolicy.NAME);
  }

  private boolean exists(String policy) {
    return PolicyFactory.BUILT_IN.contains(policy) || factory.names().contains(policy);
  }

  private String gone(String what) {
    return "; if its JAR is no longer in '%s', %s".formatted(config.plugins().folder(), what);
  }

  /**
   * Returns whether it is a mistake. Settings of a strategy whose JAR was refused must not keep the
   * others from serving.
   */
  private boolean isMistake(StrategyKind<?> kind, String name) {
    PluginCatalog catalog = plugins.catalog();
    return kind.settingsIn().apply(config).plugin(name) != null
        || catalog.reports().stream().noneMatch(r -> r.state() == PluginState.REFUSED);
  }
}
