package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictorProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The extent of the checks and the settings that the strategy is given.
 *
 * @param seed the seed of everything random
 * @param histories how many random histories of each kind are tried, with seeds counting up from
 *     {@code seed}
 * @param requests the length of a random history
 * @param limit how long one check may take before it counts as hanging
 * @param settings the strategy's settings, written as in the configuration: {@code "10 s"}, {@code
 *     "true"}, {@code "0.5"}
 * @param predictors lifetime predictors that the strategy may ask for
 * @param policies block policies that the strategy may wrap; since 1.6.0
 * @since 1.0.0
 */
public record CheckSettings(
    long seed,
    int histories,
    int requests,
    Duration limit,
    Map<String, String> settings,
    List<LifetimePredictorProvider> predictors,
    List<BlockPolicyProvider> policies) {

  /** Checks ranges and copies the collections. */
  public CheckSettings {
    if (histories < 1 || requests < 1) {
      throw new IllegalArgumentException(
          "histories %d, requests %d: at least 1 each".formatted(histories, requests));
    }
    settings = Map.copyOf(settings);
    predictors = List.copyOf(predictors);
    policies = List.copyOf(policies);
  }

  /**
   * Creates settings without policies to wrap.
   *
   * @param seed the seed of everything random
   * @param histories how many random histories of each kind are tried
   * @param requests the length of a random history
   * @param limit how long one check may take before it counts as hanging
   * @param settings the strategy's settings, written as in the configuration
   * @param predictors lifetime predictors that the strategy may ask for
   */
  public CheckSettings(
      long seed,
      int histories,
      int requests,
      Duration limit,
      Map<String, String> settings,
      List<LifetimePredictorProvider> predictors) {
    this(seed, histories, requests, limit, settings, predictors, List.of());
  }

  /**
   * Takes about two seconds for a policy.
   *
   * @return seed 1, no settings, no predictors
   */
  public static CheckSettings defaults() {
    return new CheckSettings(1, 6, 1_500, Duration.ofSeconds(60), Map.of(), List.of());
  }

  /**
   * Chooses the seed.
   *
   * @param value any number, for example the one that a failure printed
   * @return a copy with that seed
   */
  public CheckSettings withSeed(long value) {
    return new CheckSettings(value, histories, requests, limit, settings, predictors, policies);
  }

  /**
   * Chooses how many random histories are tried.
   *
   * @param value at least 1
   * @return a copy with that many
   */
  public CheckSettings withHistories(int value) {
    return new CheckSettings(seed, value, requests, limit, settings, predictors, policies);
  }

  /**
   * Chooses the length of the random histories.
   *
   * @param value requests, at least 1
   * @return a copy with that length
   */
  public CheckSettings withRequests(int value) {
    return new CheckSettings(seed, histories, value, limit, settings, predictors, policies);
  }

  /**
   * Chooses how long a check may take.
   *
   * @return a copy with that limit
   */
  public CheckSettings withLimit(Duration value) {
    return new CheckSettings(seed, histories, requests, value, settings, predictors, policies);
  }

  /**
   * Gives the strategy a setting.
   *
   * @param key the setting's name
   * @param value its value, written as in the configuration
   * @return a copy with that setting
   */
  public CheckSettings with(String key, String value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(key, value);
    return new CheckSettings(seed, histories, requests, limit, more, predictors, policies);
  }

  /**
   * Gives the strategy a lifetime predictor it may ask for by name.
   *
   * @param provider the predictor's provider
   * @return a copy with that predictor
   */
  public CheckSettings with(LifetimePredictorProvider provider) {
    List<LifetimePredictorProvider> more = new ArrayList<>(predictors);
    more.add(provider);
    return new CheckSettings(seed, histories, requests, limit, settings, more, policies);
  }

  /**
   * Gives the strategy a block policy it may wrap.
   *
   * @param provider the policy's provider
   * @return a copy with that policy
   * @since 1.6.0
   */
  public CheckSettings with(BlockPolicyProvider provider) {
    List<BlockPolicyProvider> more = new ArrayList<>(policies);
    more.add(provider);
    return new CheckSettings(seed, histories, requests, limit, settings, predictors, more);
  }

  TestContext context(long capacityBlocks, long contextSeed) {
    return context(capacityBlocks, contextSeed, new TestClock());
  }

  /** Returns a context with the same settings and a shared clock. */
  TestContext context(long capacityBlocks, long contextSeed, TestClock clock) {
    TestContext context = TestContext.of(capacityBlocks, clock).withSeed(contextSeed);
    settings.forEach(context::with);
    predictors.forEach(context::with);
    policies.forEach(context::with);
    return context;
  }

  Check check(String name, Check.Body body) {
    return new Check(name, seed, limit, body);
  }
}
