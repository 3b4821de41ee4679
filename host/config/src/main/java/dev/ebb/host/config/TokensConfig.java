package dev.ebb.host.config;

import java.util.List;

/**
 * {@code ebb.tokens}.
 *
 * @param policy the token policy that prunes sequences
 * @param policies settings of token policies
 * @param layers other policies for some layers
 * @param pressure other policies when memory is short, the least memory first
 * @param hysteresis by what share above a bound of {@code pressure} the memory must be for the
 *     policy to be deactivated
 * @param budget how many tokens stay in each layer and head: the rule's name, and where it is said
 * @param trigger when sequences are pruned
 * @param onMissingSignal what happens if the engine does not hand over what a policy needs
 * @param window the most tokens a sequence may have, 0 for any number
 * @param keepRatio the share of its tokens that a sequence keeps, 0 if not said
 * @param targetRatio the same where nothing else is said
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

  /** Takes copies of the lists. */
  public TokensConfig {
    layers = List.copyOf(layers);
    pressure = List.copyOf(pressure);
  }

  /**
   * A policy for some layers.
   *
   * @param first the first of them
   * @param last the last of them
   * @param policy the policy
   */
  public record LayerChoice(int first, int last, Choice policy) {}

  /**
   * A policy for when memory is short.
   *
   * @param below bytes of available memory
   * @param policy the policy
   */
  public record PressureChoice(long below, Choice policy) {}
}
