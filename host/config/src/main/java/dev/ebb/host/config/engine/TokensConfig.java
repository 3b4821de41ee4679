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

  public static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<String> POLICY =
      KEYS.key("tokens.policy", "none", ValueType.NAME)
          .live("A [token policy](token-policies.md), or `none`.");
  static final ConfigKey<StrategySettings> POLICIES =
      KEYS.key("tokens.policies", "{}", ValueType.SECTION)
          .fixed("Settings of each token policy under its name; `plugin` as above.");
  static final ConfigKey<List<Setting>> LAYERS =
      KEYS.key("tokens.layers", "[]", ValueType.list("layers and policies", LayerChoice.EXAMPLE))
          .fixed(
              "Other policies for some layers, counted from 0: `[" + LayerChoice.EXAMPLE + "]`.");
  static final ConfigKey<List<Setting>> PRESSURE =
      KEYS.key(
              "tokens.pressure", "[]", ValueType.list("sizes and policies", PressureChoice.EXAMPLE))
          .fixed(
              "Other policies while less memory than a size is available: `["
                  + PressureChoice.EXAMPLE
                  + "]`. The least such size counts.");
  static final ConfigKey<Double> HYSTERESIS =
      KEYS.key("tokens.hysteresis", "\"20 %\"", ValueType.SHARE)
          .fixed("How much more memory must be available before such a policy ends.");
  public static final ConfigKey<String> BUDGET =
      KEYS.key("tokens.budget", "uniform", ValueType.NAME)
          .fixed(
              "Distribution of kept tokens over layers and heads: `uniform`, `pyramid`, `ada`, or a"
                  + " [plugin's budget](token-policies.md#budgets).");
  static final ConfigKey<StrategySettings> BUDGETS =
      KEYS.key("tokens.budgets", "{}", ValueType.SECTION)
          .fixed("Settings of each plugin's budget under its name; `plugin` as above.");
  static final ConfigKey<TokensTrigger> TRIGGER =
      KEYS.key("tokens.trigger", "policy", ValueType.choice(TokensTrigger.class))
          .fixed("When sequences are pruned: as the `policy` decides, or only under `pressure`.");
  static final ConfigKey<OnMissingSignal> ON_MISSING_SIGNAL =
      KEYS.key("tokens.on-missing-signal", "refuse", ValueType.choice(OnMissingSignal.class))
          .fixed("If the engine lacks what a policy needs: `refuse`, or use `sliding-window`.");
  static final ConfigKey<Integer> WINDOW =
      KEYS.key("tokens.window", "0", ValueType.integer(0, 1 << 30))
          .fixed("The most tokens that a sequence keeps; 0 for no limit.");
  static final ConfigKey<Double> KEEP_RATIO =
      KEYS.key("tokens.keep-ratio", "0", ValueType.number(0, 1))
          .fixed("Share of its tokens that a sequence keeps; 0 uses `target-ratio`.");
  static final ConfigKey<Double> TARGET_RATIO =
      KEYS.key("tokens.target-ratio", "0.75", ValueType.number(0, 1))
          .fixed("The default for that share.");
  static final ConfigKey<Long> MEMORY_THRESHOLD =
      KEYS.key("tokens.memory-threshold", "256 MiB", ValueType.SIZE)
          .fixed("Available memory below which sequences are pruned.");

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
