package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.Section;
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

  public static final ConfigKey<String> POLICY = ConfigKey.live("tokens.policy", ValueType.NAME);
  public static final ConfigKey<String> BUDGET = ConfigKey.fixed("tokens.budget", ValueType.NAME);
  private static final ConfigKey<List<Setting>> LAYERS =
      ConfigKey.fixed("tokens.layers", ValueType.list("layers and policies", LayerChoice.EXAMPLE));
  private static final ConfigKey<List<Setting>> PRESSURE =
      ConfigKey.fixed(
          "tokens.pressure", ValueType.list("sizes and policies", PressureChoice.EXAMPLE));

  public static final Section<TokensConfig> SECTION =
      new Section<>(TokensConfig.class, "tokens")
          .key(POLICY)
          .fixed("policies", ValueType.SECTION)
          .read(reader -> reader.each(LAYERS, LayerChoice::read), LAYERS)
          .read(reader -> reader.each(PRESSURE, PressureChoice::read), PRESSURE)
          .fixed("hysteresis", ValueType.SHARE)
          .key(BUDGET)
          .fixed("budgets", ValueType.SECTION)
          .fixed("trigger", ValueType.choice(TokensTrigger.class))
          .fixed("on-missing-signal", ValueType.choice(OnMissingSignal.class))
          .fixed("window", ValueType.integer(0, 1 << 30))
          .fixed("keep-ratio", ValueType.number(0, 1))
          .fixed("target-ratio", ValueType.number(0, 1))
          .fixed("memory-threshold", ValueType.SIZE);

  public TokensConfig {
    layers = List.copyOf(layers);
    pressure = pressure.stream().sorted(Comparator.comparingLong(PressureChoice::below)).toList();
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
