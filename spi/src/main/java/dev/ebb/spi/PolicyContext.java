package dev.ebb.spi;

import java.util.random.RandomGenerator;

/**
 * What a strategy may know of its host. Given once, at creation; may be kept.
 *
 * <p>Every method has a default that throws {@link UnsupportedOperationException}, so that this
 * interface can grow without breaking the hosts and tests that implement it.
 *
 * @since 1.0.0
 */
public interface PolicyContext {

  /**
   * The capacity this instance is responsible for, when it is made.
   *
   * <p>Of a block policy: of its partition, less what {@code eviction.probation} sets apart; later
   * changes come through {@link BlockPolicy#resized}. Of a predictor: that of the policy that made
   * it. Of a token policy: of the memory that its sequences live in together, which says nothing of
   * how many tokens one of them may keep; 1 where there is no such memory.
   *
   * @return blocks, at least 1
   */
  default long capacityBlocks() {
    throw new UnsupportedOperationException("capacityBlocks");
  }

  /**
   * The part of the cache this instance is responsible for.
   *
   * @return a name such as {@code "default"} or {@code "tenant:acme"}, for messages and metrics
   */
  default String partition() {
    throw new UnsupportedOperationException("partition");
  }

  /**
   * The instance's settings: what stands under {@code eviction.policies.<name>}; of a token policy
   * under {@code tokens.policies.<name>}, of a predictor under {@code eviction.predictors.<name>}.
   *
   * @return typed look-ups with defaults
   */
  default Settings settings() {
    throw new UnsupportedOperationException("settings");
  }

  /**
   * The host's clock. In a replay it is the trace's clock, so never ask the system for the time.
   *
   * @return the clock that entries' times are read from
   */
  default PolicyClock clock() {
    throw new UnsupportedOperationException("clock");
  }

  /**
   * The source of all randomness, seeded by the host so that a replay can be repeated exactly.
   *
   * @return a generator of this instance's own
   */
  default RandomGenerator random() {
    throw new UnsupportedOperationException("random");
  }

  /**
   * Makes a lifetime predictor that some plugin offers. The instance belongs to the caller, who
   * feeds it with {@link LifetimePredictor#observe} and closes it.
   *
   * @param name the predictor's name
   * @return a new predictor
   * @throws SettingException if no plugin offers one of that name
   */
  default LifetimePredictor predictor(String name) {
    throw new UnsupportedOperationException("predictor");
  }
}
