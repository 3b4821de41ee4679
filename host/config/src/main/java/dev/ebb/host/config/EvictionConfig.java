package dev.ebb.host.config;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.host.config.rules.RuleReader;
import java.time.Duration;
import java.util.List;

/** {@code ebb.eviction}. */
public record EvictionConfig(
    Choice policy,
    List<RuleConfig> rules,
    StrategySettings policies,
    StrategySettings predictors,
    double threshold,
    double target,
    boolean thresholdSet,
    Duration deadline,
    Duration ttl,
    double pinBudget,
    boolean respectPriority,
    int logSize,
    ProbationConfig probation) {

  public static final ConfigKey<String> POLICY = ConfigKey.live("eviction.policy", ValueType.NAME);
  public static final ConfigKey<List<Setting>> RULES =
      ConfigKey.live("eviction.rules", ValueType.list("rules", RuleReader.EXAMPLE));
  public static final ConfigKey<StrategySettings> POLICIES =
      ConfigKey.live("eviction.policies", ValueType.SECTION);
  public static final ConfigKey<Double> THRESHOLD =
      ConfigKey.live("eviction.threshold", ValueType.number(0, 1));
  public static final ConfigKey<Double> TARGET =
      ConfigKey.live("eviction.target", ValueType.number(0, 1));
  public static final ConfigKey<Duration> DEADLINE =
      ConfigKey.live("eviction.deadline", ValueType.INTERVAL);
  public static final ConfigKey<Duration> TTL = ConfigKey.live("eviction.ttl", ValueType.DURATION);
  public static final ConfigKey<Double> PIN_BUDGET =
      ConfigKey.live("eviction.pin-budget", ValueType.SHARE);

  static final Section<EvictionConfig> SECTION =
      new Section<>(EvictionConfig.class, "eviction")
          .key(POLICY)
          .read(RuleReader::all, RULES)
          .key(POLICIES)
          .fixed("predictors", ValueType.SECTION)
          .key(THRESHOLD)
          .read(EvictionConfig::target, TARGET)
          .read(reader -> reader.isSet(THRESHOLD))
          .key(DEADLINE)
          .key(TTL)
          .key(PIN_BUDGET)
          .fixed("respect-priority", ValueType.FLAG)
          .fixed("log-size", ValueType.integer(1, 1 << 20))
          .section(ProbationConfig.SECTION);

  /** The default distance of the target below the threshold. */
  private static final double LEAST_ROOM = 0.04;

  public EvictionConfig {
    rules = List.copyOf(rules);
  }

  /** Returns the same with another policy, and some of its settings. */
  EvictionConfig with(PolicySpec wanted, String source) {
    return new EvictionConfig(
        new Choice(wanted.name(), source),
        rules,
        policies.with(wanted.overrides(source)),
        predictors,
        threshold,
        target,
        thresholdSet,
        deadline,
        ttl,
        pinBudget,
        respectPriority,
        logSize,
        probation);
  }

  static double target(ConfigReader reader) {
    double threshold = reader.get(THRESHOLD);
    double target = reader.get(TARGET);
    if (!reader.isSet(TARGET)) {
      return Math.clamp(Math.rint((threshold - LEAST_ROOM) * 1e6) / 1e6, 0, target);
    }
    if (target > threshold) {
      reader.problem(reader.setting(TARGET).problem("must be at most the threshold, " + threshold));
      // Reported, and what is checked next needs a possible one.
      return threshold;
    }
    return target;
  }
}
