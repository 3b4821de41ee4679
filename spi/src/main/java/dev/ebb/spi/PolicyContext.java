package dev.ebb.spi;

import java.util.random.RandomGenerator;

/**
 * The host's side of one strategy instance: settings, clock, capacity. Given once, at creation; may
 * be kept.
 *
 * <p>Every method has a default that throws {@link UnsupportedOperationException}, so that this
 * interface can grow without breaking the hosts and tests that implement it.
 *
 * @since 1.0.0
 */
public interface PolicyContext {

  /**
   * Returns the capacity of this instance at its creation.
   *
   * <p>For a block policy, it is the capacity of its partition without the share of {@code
   * eviction.probation}; {@link BlockPolicy#resized} reports later changes. For a predictor, it is
   * that of the policy that made it. For a token policy, it is that of the memory shared by its
   * sequences, or 1 if there is no such memory. It does not limit the tokens of one sequence. For a
   * preemption policy, it is that of the memory shared by the sequences.
   *
   * @return blocks, at least 1
   */
  default long capacityBlocks() {
    throw new UnsupportedOperationException("capacityBlocks");
  }

  /**
   * Returns the part of the cache that this instance manages.
   *
   * @return a name such as {@code "default"} or {@code "tenant:acme"}, for messages and metrics
   */
  default String partition() {
    throw new UnsupportedOperationException("partition");
  }

  /**
   * Returns the instance's settings: those under {@code eviction.policies.<name>} for a block
   * policy, {@code tokens.policies.<name>} for a token policy, {@code tokens.budgets.<name>} for a
   * token budget, {@code eviction.predictors.<name>} for a predictor, {@code
   * scheduler.policies.<name>} for a preemption policy.
   *
   * @return typed look-ups with defaults
   */
  default Settings settings() {
    throw new UnsupportedOperationException("settings");
  }

  /**
   * Returns the host's clock. In a replay it is the trace's clock, so never ask the system for the
   * time.
   *
   * @return the clock that entries' times are read from
   */
  default PolicyClock clock() {
    throw new UnsupportedOperationException("clock");
  }

  /**
   * Returns the source of all randomness. The host seeds it, so that a replay can be repeated
   * exactly.
   *
   * @return a generator of this instance's own
   */
  default RandomGenerator random() {
    throw new UnsupportedOperationException("random");
  }

  /**
   * Makes a lifetime predictor that a plugin offers. The instance belongs to the caller, which
   * feeds it with {@link LifetimePredictor#observe} and closes it.
   *
   * @param name the predictor's name
   * @return a new predictor
   * @throws SettingException if no plugin offers one of that name
   */
  default LifetimePredictor predictor(String name) {
    throw new UnsupportedOperationException("predictor");
  }

  /**
   * Makes a block policy that a plugin offers, for a policy that wraps others: a guard, an
   * ensemble. It has this instance's capacity, partition and clock, and settings of its own under
   * {@code eviction.policies.<name>}. The instance belongs to the caller, which passes each event
   * on to it and closes it. A wrapped policy's node is kept in a node of the caller's. Call it
   * before {@code create()} returns. Block policies have it.
   *
   * @param name the policy's name, or with settings over the configured ones: {@code "lfu(ageing =
   *     none)"}
   * @return a new policy that holds no entries
   * @throws SettingException if no plugin offers it, a setting of it is wrong, or it would contain
   *     itself
   * @since 1.6.0
   */
  default BlockPolicy<?> policy(String name) {
    throw new UnsupportedOperationException("policy");
  }

  /**
   * Returns the executor of this instance for tasks that take longer than an event may. Block
   * policies and lifetime predictors have one. Call it before {@code create()} returns.
   *
   * @return the same object for each call
   * @since 1.6.0
   */
  default Background background() {
    throw new UnsupportedOperationException("background");
  }
}
