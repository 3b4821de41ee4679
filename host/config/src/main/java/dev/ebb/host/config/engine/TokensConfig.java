package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.units.ByteSize;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code ebb.tokens}.
 *
 * @param pressure other policies when memory is short, the least memory first
 */
public record TokensConfig(
    Choice policy,
    StrategySettings policies,
    List<LayerChoice> layers,
    List<PressureChoice> pressure,
    double hysteresis,
    Choice budget,
    StrategySettings budgets,
    TokensTrigger trigger,
    OnMissingSignal onMissingSignal,
    int window,
    double keepRatio,
    double targetRatio,
    long memoryThreshold) {

  /** The action if an engine does not provide a signal that a token policy needs. */
  public enum OnMissingSignal {
    /** The configuration is refused. */
    REFUSE,
    /** The policy {@code sliding-window} replaces it. */
    SLIDING_WINDOW
  }

  /** The time at which sequences are pruned. */
  public enum TokensTrigger {
    /** As the policy declares: after the prompt, at every step, or under pressure. */
    POLICY,
    /** When memory is short or the sequence too long, whatever the policy declares. */
    PRESSURE
  }

  public static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<String> POLICY = KEYS.live("tokens.policy", ValueType.NAME);
  static final ConfigKey<StrategySettings> POLICIES =
      KEYS.fixed("tokens.policies", ValueType.SECTION);
  static final ConfigKey<List<Setting>> LAYERS =
      KEYS.fixed("tokens.layers", ValueType.list("layers and policies", LayerChoice.EXAMPLE));
  static final ConfigKey<List<Setting>> PRESSURE =
      KEYS.fixed("tokens.pressure", ValueType.list("sizes and policies", PressureChoice.EXAMPLE));
  static final ConfigKey<Double> HYSTERESIS = KEYS.fixed("tokens.hysteresis", ValueType.SHARE);
  public static final ConfigKey<String> BUDGET = KEYS.fixed("tokens.budget", ValueType.NAME);
  static final ConfigKey<StrategySettings> BUDGETS =
      KEYS.fixed("tokens.budgets", ValueType.SECTION);
  static final ConfigKey<TokensTrigger> TRIGGER =
      KEYS.fixed("tokens.trigger", ValueType.choice(TokensTrigger.class));
  static final ConfigKey<OnMissingSignal> ON_MISSING_SIGNAL =
      KEYS.fixed("tokens.on-missing-signal", ValueType.choice(OnMissingSignal.class));
  static final ConfigKey<Integer> WINDOW =
      KEYS.fixed("tokens.window", ValueType.integer(0, 1 << 30));
  static final ConfigKey<Double> KEEP_RATIO =
      KEYS.fixed("tokens.keep-ratio", ValueType.number(0, 1));
  static final ConfigKey<Double> TARGET_RATIO =
      KEYS.fixed("tokens.target-ratio", ValueType.number(0, 1));
  static final ConfigKey<Long> MEMORY_THRESHOLD =
      KEYS.fixed("tokens.memory-threshold", ValueType.SIZE);

  public TokensConfig {
    layers = List.copyOf(layers);
    pressure = pressure.stream().sorted(Comparator.comparingLong(PressureChoice::below)).toList();
  }

  public static TokensConfig read(ConfigReader reader) {
    return new TokensConfig(
        reader.choice(POLICY),
        reader.get(POLICIES),
        reader.each(LAYERS, LayerChoice::read),
        reader.each(PRESSURE, PressureChoice::read),
        reader.get(HYSTERESIS),
        reader.choice(BUDGET),
        reader.get(BUDGETS),
        reader.get(TRIGGER),
        reader.get(ON_MISSING_SIGNAL),
        reader.get(WINDOW),
        reader.get(KEEP_RATIO),
        reader.get(TARGET_RATIO),
        reader.get(MEMORY_THRESHOLD));
  }

  /** A policy for some layers. */
  public record LayerChoice(int first, int last, Choice policy) {

    private static final String EXAMPLE = "\"0-3 sliding-window\"";
    private static final Pattern TEXT = Pattern.compile("(\\d{1,6})(?:-(\\d{1,6}))? +(\\S+)");

    static LayerChoice read(Setting setting) {
      Matcher parts = TEXT.matcher(setting.string());
      if (parts.matches()) {
        int first = Integer.parseInt(parts.group(1));
        int last = parts.group(2) == null ? first : Integer.parseInt(parts.group(2));
        if (first <= last) {
          return new LayerChoice(first, last, setting.choice(parts.group(3)));
        }
      }
      throw setting.wrong("must be layers and a token policy, such as " + EXAMPLE);
    }
  }

  /**
   * A policy for memory pressure.
   *
   * @param below bytes of available memory
   */
  public record PressureChoice(long below, Choice policy) {

    private static final String EXAMPLE = "\"1 GiB sliding-window\"";
    private static final Pattern TEXT = Pattern.compile("(\\S+ ?\\S*) +(\\S+)");

    static PressureChoice read(Setting setting) {
      Matcher parts = TEXT.matcher(setting.string());
      if (parts.matches()) {
        OptionalLong below = ByteSize.parse(parts.group(1));
        if (below.isPresent()) {
          return new PressureChoice(below.getAsLong(), setting.choice(parts.group(2)));
        }
      }
      throw setting.wrong(
          "must be a size of available memory and a token policy, such as " + EXAMPLE);
    }
  }
}
