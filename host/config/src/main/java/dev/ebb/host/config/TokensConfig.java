package dev.ebb.host.config;

import java.util.List;

/**
 * {@code ebb.tokens}.
 *
 * @param policy the token policy that prunes sequences
 * @param layers other policies for some layers
 * @param pressure other policies when memory is short, the least memory first
 * @param hysteresis the share above a bound of {@code pressure} that the memory must reach before
 *     the policy is deactivated
 * @param budget the name and origin of the rule that divides kept tokens among layers and heads
 * @param trigger when sequences are pruned
 * @param onMissingSignal the action if the engine does not provide a signal that a policy needs
 * @param window the most tokens a sequence may have, 0 for any number
 * @param keepRatio the share of its tokens that a sequence keeps, 0 if not set
 * @param targetRatio the default of that share
 * @param memoryThreshold bytes of available memory below which sequences are pruned
 */
public record TokensConfig(
    Choice policy,
    StrategySettings policies,
    List<LayerChoice> layers,
    List<PressureChoice> pressure,
    double hysteresis,
    Choice budget,
    TokensTrigger trigger,
    OnMissingSignal onMissingSignal,
    int window,
    double keepRatio,
    double targetRatio,
    long memoryThreshold) {

  public TokensConfig {
    layers = List.copyOf(layers);
    pressure = List.copyOf(pressure);
  }

  /** A policy for some layers. */
  public record LayerChoice(int first, int last, Choice policy) {}

  /**
   * A policy for memory pressure.
   *
   * @param below bytes of available memory
   */
  public record PressureChoice(long below, Choice policy) {}
}
