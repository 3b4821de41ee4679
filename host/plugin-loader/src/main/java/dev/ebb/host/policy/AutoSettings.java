package dev.ebb.host.policy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.key.ConfiguredSettings;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.errors.UserError;
import dev.ebb.spi.SettingException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The settings of the automatic choice.
 *
 * @param place the origin and the key of the policies, for messages
 * @param policies what it chooses among; the first one is chosen at first
 * @param regret the regret beyond which only the best policy since the start counts
 * @param values all settings, for tables
 * @param problems what is wrong with them; the other components are usable as far as they are right
 */
record AutoSettings(
    String place,
    List<PolicySpec> policies,
    double regret,
    List<SettingValue> values,
    List<String> problems) {

  private static final String POLICIES = "predictive, lirs, s3-fifo, lru";
  private static final double REGRET = 0.002;
  private static final int MOST = 8;
  private static final Set<String> NOT_CHOSEN =
      Set.of(AutoPolicy.NAME, NoEviction.NAME, BuiltInLru.NAME);

  /**
   * Reads the settings.
   *
   * @param configured those of all policies
   * @param spec those that override them
   */
  static AutoSettings read(StrategySettings configured, PolicySpec spec) {
    Config given = spec.settings().withFallback(configured.of(AutoPolicy.NAME));
    ConfiguredSettings settings =
        new ConfiguredSettings(configured.pathOf(AutoPolicy.NAME), given, ConfigFactory.empty());
    String place = settings.place("policies");
    Set<String> problems = new LinkedHashSet<>();
    List<PolicySpec> policies = List.of();
    double regret = REGRET;
    try {
      policies = policies(settings.joined("policies", POLICIES), place, problems);
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
    problems.addAll(settings.unknown("policy '%s'".formatted(AutoPolicy.NAME)));
    return new AutoSettings(place, policies, regret, settings.asked(), new ArrayList<>(problems));
  }

  /** Returns itself, or throws all problems. */
  AutoSettings orThrow() {
    UserError.throwIfAny(problems);
    return this;
  }

  /** Returns the policies that can be chosen, and adds what is wrong with the others. */
  private static List<PolicySpec> policies(String text, String place, Set<String> problems) {
    if (text.isBlank()) {
      problems.add(
          "%s = '' must name one to %d policies, such as [lru, sieve]".formatted(place, MOST));
      return List.of();
    }
    List<PolicySpec> given = PolicySpec.parseList(text, place);
    if (given.size() > MOST) {
      problems.add(
          "%s: '%d' policies are too many; at most %d".formatted(place, given.size(), MOST));
    }
    Set<String> seen = new LinkedHashSet<>();
    List<PolicySpec> policies = new ArrayList<>();
    for (PolicySpec each : given) {
      if (!seen.add(each.display())) {
        problems.add("%s: '%s' is named twice; remove one".formatted(place, each.display()));
      } else if (NOT_CHOSEN.contains(each.name())) {
        problems.add(
            "%s: '%s' cannot be chosen automatically; name policies of plugins%s"
                .formatted(
                    place,
                    each.display(),
                    each.name().equals(BuiltInLru.NAME) ? ", such as 'lru'" : ""));
      } else {
        policies.add(each);
      }
    }
    return List.copyOf(policies);
  }
}
