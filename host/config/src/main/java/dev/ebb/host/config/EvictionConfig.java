package dev.ebb.host.config;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
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
    int logSize,
    Duration ttl,
    double pinBudget,
    boolean respectPriority,
    ProbationConfig probation) {

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<String> POLICY = KEYS.live("eviction.policy", ValueType.NAME);
  public static final ConfigKey<List<Setting>> RULES =
      KEYS.live("eviction.rules", ValueType.list("rules", RuleReader.EXAMPLE));
  public static final ConfigKey<StrategySettings> POLICIES =
      KEYS.live("eviction.policies", ValueType.SECTION);
  static final ConfigKey<StrategySettings> PREDICTORS =
      KEYS.fixed("eviction.predictors", ValueType.SECTION);
  public static final ConfigKey<Double> THRESHOLD =
      KEYS.live("eviction.threshold", ValueType.number(0, 1));
  public static final ConfigKey<Double> TARGET =
      KEYS.live("eviction.target", ValueType.number(0, 1));
  public static final ConfigKey<Duration> DEADLINE =
      KEYS.live("eviction.deadline", ValueType.INTERVAL);
  public static final ConfigKey<Duration> TTL = KEYS.live("eviction.ttl", ValueType.DURATION);
  public static final ConfigKey<Double> PIN_BUDGET =
      KEYS.live("eviction.pin-budget", ValueType.SHARE);
  static final ConfigKey<Boolean> RESPECT_PRIORITY =
      KEYS.fixed("eviction.respect-priority", ValueType.FLAG);
  static final ConfigKey<Integer> LOG_SIZE =
      KEYS.fixed("eviction.log-size", ValueType.integer(1, 1 << 20));

  /** The default distance of the target below the threshold. */
  private static final double LEAST_ROOM = 0.04;

  public EvictionConfig {
    rules = List.copyOf(rules);
  }

  static EvictionConfig read(ConfigReader reader) {
    double threshold = reader.get(THRESHOLD);
    return new EvictionConfig(
        reader.choice(POLICY),
        RuleReader.all(reader),
        reader.get(POLICIES),
        reader.get(PREDICTORS),
        threshold,
        target(reader, threshold),
        reader.isSet(THRESHOLD),
        reader.get(DEADLINE),
        reader.get(LOG_SIZE),
        reader.get(TTL),
        reader.get(PIN_BUDGET),
        reader.get(RESPECT_PRIORITY),
        ProbationConfig.read(reader));
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
        logSize,
        ttl,
        pinBudget,
        respectPriority,
        probation);
  }

  static double target(ConfigReader reader, double threshold) {
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
