package dev.ebb.host.policy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.cache.NoEviction;
import dev.ebb.host.config.ConfiguredSettings;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.SettingValue;
import dev.ebb.host.config.StrategySettings;
import dev.ebb.host.errors.UserError;
import dev.ebb.spi.SettingException;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of the automatic choice.
 *
 * @param policies what it chooses among; the first one is chosen at first
 * @param regret the regret beyond which only the best policy since the start counts
 * @param values all settings, for tables
 */
record AutoSettings(List<PolicySpec> policies, double regret, List<SettingValue> values) {

  private static final String POLICIES = "predictive, lirs, s3-fifo, lru";
  private static final double REGRET = 0.002;
  private static final int MOST = 8;

  /**
   * Reads the settings.
   *
   * @param configured those of all policies
   * @param spec those that override them
   * @throws UserError if some are wrong
   */
  static AutoSettings read(StrategySettings configured, PolicySpec spec) {
    String path = configured.pathOf(AutoPolicy.NAME);
    Config given = spec.settings().withFallback(configured.of(AutoPolicy.NAME));
    ConfiguredSettings settings = new ConfiguredSettings(path, given, ConfigFactory.empty());
    List<String> problems = new ArrayList<>();
    List<PolicySpec> policies = List.of();
    double regret = REGRET;
    try {
      policies = PolicySpec.parseList(settings.string("policies", POLICIES), path + ".policies");
      problems.addAll(problems(path, policies));
    } catch (SettingException wrong) {
      problems.add(wrong.getMessage());
    } catch (UserError wrong) {
      problems.addAll(wrong.messages());
    }
    try {
      regret = settings.number("regret", REGRET, 0, 1);
    } catch (SettingException wrong) {
      problems.add(wrong.getMessage());
    }
    problems.addAll(settings.unknown());
    UserError.throwIfAny(problems);
    return new AutoSettings(policies, regret, settings.asked());
  }

  private static List<String> problems(String path, List<PolicySpec> policies) {
    List<String> problems = new ArrayList<>();
    if (policies.size() > MOST) {
      problems.add(
          "%s.policies: '%d' policies are too many; at most %d"
              .formatted(path, policies.size(), MOST));
    }
    for (PolicySpec each : policies) {
      if (each.name().equals(AutoPolicy.NAME) || each.name().equals(NoEviction.NAME)) {
        problems.add(
            "%s.policies: '%s' cannot be chosen automatically; name policies of plugins"
                .formatted(path, each.display()));
      }
      if (policies.stream().filter(other -> other.display().equals(each.display())).count() > 1) {
        problems.add("%s.policies: '%s' is named twice".formatted(path, each.display()));
      }
    }
    return problems.stream().distinct().toList();
  }
}
