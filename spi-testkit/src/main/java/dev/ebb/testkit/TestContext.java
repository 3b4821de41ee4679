package dev.ebb.testkit;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.Background;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.LifetimePredictorProvider;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A context for tests, for one call of {@code create()}.
 *
 * @since 1.0.0
 */
public final class TestContext implements PolicyContext {

  private final long capacityBlocks;
  private final TestClock clock;
  private final TestSettings settings = new TestSettings();
  private final TreeMap<String, LifetimePredictorProvider> predictors = new TreeMap<>();
  private final TreeMap<String, BlockPolicyProvider> policies = new TreeMap<>();

  /** The contexts of what the strategy has made. */
  private final List<TestContext> made = new ArrayList<>();

  private String partition = "default";
  private final Pending background = new Pending();
  private RandomGenerator random = new SplittableRandom(1);

  private TestContext(long capacityBlocks, TestClock clock) {
    this.capacityBlocks = capacityBlocks;
    this.clock = clock;
  }

  /**
   * Returns a context with a clock at 0, seed 1, no settings and no predictors.
   *
   * @param capacityBlocks at least 1
   */
  public static TestContext ofCapacity(long capacityBlocks) {
    if (capacityBlocks < 1) {
      throw new IllegalArgumentException("capacity %d: at least 1".formatted(capacityBlocks));
    }
    return new TestContext(capacityBlocks, new TestClock());
  }

  static TestContext of(long capacityBlocks, TestClock clock) {
    return new TestContext(capacityBlocks, clock);
  }

  /**
   * Configures a setting.
   *
   * @param key the setting's name
   * @param value written as in the configuration
   */
  public TestContext with(String key, String value) {
    settings.put(key, value);
    return this;
  }

  /**
   * Offers a lifetime predictor under its name.
   *
   * @param provider makes it
   */
  public TestContext with(LifetimePredictorProvider provider) {
    predictors.put(provider.name(), provider);
    return this;
  }

  /**
   * Offers a block policy under its name, with the defaults of its settings.
   *
   * @param provider makes it
   * @since 1.6.0
   */
  public TestContext with(BlockPolicyProvider provider) {
    policies.put(provider.name(), provider);
    return this;
  }

  /**
   * Sets the seed of the random generator.
   *
   * @param seed any number
   */
  public TestContext withSeed(long seed) {
    random = new SplittableRandom(seed);
    return this;
  }

  /**
   * Names the partition.
   *
   * @param name for example {@code "tenant:acme"}
   */
  public TestContext withPartition(String name) {
    partition = name;
    return this;
  }

  /**
   * Returns the configured settings that nothing has read; the host reports such keys as unknown.
   *
   * @return keys in alphabetical order
   */
  public Set<String> unreadSettings() {
    return settings.unread();
  }

  /**
   * Runs the task that was submitted to {@link #background}, and hands its result back. Does the
   * same for the predictors and policies that were made of this context.
   *
   * @return whether there was one
   * @since 1.6.0
   */
  public boolean runBackground() {
    boolean any = background.run();
    for (TestContext each : made) {
      any |= each.runBackground();
    }
    return any;
  }

  private static final class Pending implements Background {
    private @Nullable Runnable task;

    @Override
    public <T> boolean submit(Callable<T> call, Consumer<? super T> done) {
      if (task != null) {
        return false;
      }
      task = () -> done.accept(result(call));
      return true;
    }

    private static <T> T result(Callable<T> call) {
      try {
        return requireNonNull(call.call(), "the background task returned null");
      } catch (RuntimeException failed) {
        throw failed;
      } catch (Exception failed) {
        throw new IllegalStateException("the background task failed: " + failed, failed);
      }
    }

    private boolean run() {
      Runnable current = task;
      task = null;
      if (current != null) {
        current.run();
      }
      return current != null;
    }
  }

  /** Makes reading a setting an error: {@code create()} has returned. */
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
  public Background background() {
    return background;
  }

  @Override
  public LifetimePredictor predictor(String name) {
    LifetimePredictorProvider provider = predictors.get(name);
    if (provider == null) {
      throw new SettingException(
          "no plugin offers the lifetime predictor '%s'; there are %s"
              .formatted(name, predictors.keySet()));
    }
    return provider.create(ofItsOwn());
  }

  @Override
  public BlockPolicy<?> policy(String name) {
    BlockPolicyProvider provider = policies.get(name);
    if (provider == null) {
      throw new SettingException(
          "no plugin offers the policy '%s'; there are %s".formatted(name, policies.keySet()));
    }
    TestContext own = ofItsOwn();
    own.predictors.putAll(predictors);
    return provider.create(own);
  }

  /** It has settings and randomness of its own, but shares its policy's clock. */
  private TestContext ofItsOwn() {
    TestContext own =
        of(capacityBlocks, clock).withPartition(partition).withSeed(random.nextLong());
    made.add(own);
    return own;
  }
}
