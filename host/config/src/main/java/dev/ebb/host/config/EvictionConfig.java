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

  public static final ConfigKey<String> POLICY =
      KEYS.key("eviction.policy", "lru", ValueType.NAME)
          .live(
              "The active block policy; [`auto`](policies.md#auto) chooses one itself; with `none`"
                  + " a full cache rejects new entries.");
  public static final ConfigKey<List<Setting>> RULES =
      KEYS.key("eviction.rules", "[]", ValueType.list("rules", RuleReader.EXAMPLE))
          .live(
              "[Rules](rules.md) that switch the policy, such as `[" + RuleReader.EXAMPLE + "]`.");
  public static final ConfigKey<StrategySettings> POLICIES =
      KEYS.key("eviction.policies", "{}", ValueType.SECTION)
          .live(
              "Settings of each [policy](policies.md) under its name. `<name>.plugin` is the id of"
                  + " the plugin to use if several have the policy; it needs a restart.");
  static final ConfigKey<StrategySettings> PREDICTORS =
      KEYS.key("eviction.predictors", "{}", ValueType.SECTION)
          .fixed("Settings of each lifetime predictor under its name; `plugin` as above.");
  public static final ConfigKey<Double> THRESHOLD =
      KEYS.key("eviction.threshold", "0.95", ValueType.number(0, 1))
          .live(
              "Occupancy above which background eviction starts; the rest absorbs writes. An engine"
                  + " without tiers evicts only for a request, unless this is set.");
  public static final ConfigKey<Double> TARGET =
      KEYS.key("eviction.target", "0.91", ValueType.number(0, 1))
          .live("Occupancy at which it stops; if not set, at least 0.04 below `threshold`.");
  public static final ConfigKey<Duration> DEADLINE =
      KEYS.key("eviction.deadline", "50 ms", ValueType.INTERVAL)
          .live(
              "While a client waits for memory, time without progress after which Ebb abandons the"
                  + " policy; tenfold if the policy's thread gets no CPU.");
  public static final ConfigKey<Duration> TTL =
      KEYS.key("eviction.ttl", "1 h", ValueType.DURATION)
          .live("Lifetime of an unused value; `0 s` for no limit.");
  public static final ConfigKey<Double> PIN_BUDGET =
      KEYS.key("eviction.pin-budget", "\"20 %\"", ValueType.SHARE)
          .live("How much of each partition operators may pin.");
  static final ConfigKey<Boolean> RESPECT_PRIORITY =
      KEYS.key("eviction.respect-priority", "true", ValueType.FLAG)
          .fixed(
              "A request evicts entries of [higher priority](policies.md#priorities) only if there"
                  + " are no others.");
  static final ConfigKey<Integer> LOG_SIZE =
      KEYS.key("eviction.log-size", "4096", ValueType.integer(1, 1 << 20))
          .fixed("Evictions kept in memory for `ebb logs`.");

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
    }
    return target;
  }
}
