package dev.ebb.testkit;

import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A context for tests: make it, adjust it, hand it to one {@code create()}.
 *
 * @since 1.0.0
 */
public final class TestContext implements PolicyContext {

  private final long capacityBlocks;
  private final TestClock clock;
  private final TestSettings settings = new TestSettings();
  private final TreeMap<String, LifetimePredictorProvider> predictors = new TreeMap<>();
  private String partition = "default";
  private RandomGenerator random = new SplittableRandom(1);

  private TestContext(long capacityBlocks, TestClock clock) {
    this.capacityBlocks = capacityBlocks;
    this.clock = clock;
  }

  /**
   * A context with a clock at 0, seed 1, no settings and no predictors.
   *
   * @param capacityBlocks at least 1
   * @return a new context
   */
  public static TestContext ofCapacity(long capacityBlocks) {
    if (capacityBlocks < 1) {
      throw new IllegalArgumentException("capacity %d: at least 1".formatted(capacityBlocks));
    }
    return new TestContext(capacityBlocks, new TestClock());
  }

  /** A context in which another's time passes. */
  static TestContext of(long capacityBlocks, TestClock clock) {
    return new TestContext(capacityBlocks, clock);
  }

  /**
   * Configures a setting.
   *
   * @param key the setting's name
   * @param value written as in the configuration
   * @return this
   */
  public TestContext with(String key, String value) {
    settings.put(key, value);
    return this;
  }

  /**
   * Offers a lifetime predictor under its name.
   *
   * @param provider makes it
   * @return this
   */
  public TestContext with(LifetimePredictorProvider provider) {
    predictors.put(provider.name(), provider);
    return this;
  }

  /**
   * Seeds the randomness anew.
   *
   * @param seed any number
   * @return this
   */
  public TestContext withSeed(long seed) {
    random = new SplittableRandom(seed);
    return this;
  }

  /**
   * Names the partition.
   *
   * @param name for example {@code "tenant:acme"}
   * @return this
   */
  public TestContext withPartition(String name) {
    partition = name;
    return this;
  }

  /**
   * Configured settings that nothing has asked for; the host reports such keys as unknown.
   *
   * @return keys in alphabetical order
   */
  public Set<String> unreadSettings() {
    return settings.unread();
  }

  /** From here on, reading a setting is an error: {@code create()} has returned. */
  void created() {
    settings.seal();
  }

  @Override
  public long capacityBlocks() {
    return capacityBlocks;
  }

  @Override
  public String partition() {
    return partition;
  }

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public TestClock clock() {
    return clock;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public LifetimePredictor predictor(String name) {
    LifetimePredictorProvider provider = predictors.get(name);
    if (provider == null) {
      throw new SettingException(
          "no plugin offers the lifetime predictor '%s'; there are %s"
              .formatted(name, predictors.keySet()));
    }
    // It has settings and randomness of its own, but lives in its policy's time.
    return provider.create(
        of(capacityBlocks, clock).withPartition(partition).withSeed(random.nextLong()));
  }
}
