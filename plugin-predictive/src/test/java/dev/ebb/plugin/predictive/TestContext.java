package dev.ebb.plugin.predictive;

import dev.ebb.spi.LifetimePredictor;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A host of one policy, with a clock that the test moves. */
final class TestContext implements PolicyContext {

  private final long capacity;
  private final Map<String, Object> values;
  private final RandomGenerator random;
  long nanos;
  @Nullable LifetimePredictor predictor;

  TestContext(long capacity, long seed, Map<String, ?> values) {
    this.capacity = capacity;
    this.values = new HashMap<>(values);
    this.random = new SplittableRandom(seed);
  }

  @Override
  public long capacityBlocks() {
    return capacity;
  }

  @Override
  public PolicyClock clock() {
    return () -> nanos;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  @Override
  public LifetimePredictor predictor(String name) {
    if (name.equals("online")) {
      return predictor != null ? predictor : new OnlineProvider().create(this);
    }
    throw new SettingException("no predictor named '" + name + "'; available: [online]");
  }

  @Override
  public Settings settings() {
    return new TestSettings();
  }

  private final class TestSettings implements Settings {

    private Object value(String key, Object defaultValue) {
      Object value = values.get(key);
      return value == null ? defaultValue : value;
    }

    @Override
    public String string(String key, String defaultValue) {
      return (String) value(key, defaultValue);
    }

    @Override
    public long integer(String key, long defaultValue, long min, long max) {
      return inRange(key, ((Number) value(key, defaultValue)).longValue(), min, max);
    }

    @Override
    public double number(String key, double defaultValue, double min, double max) {
      double number = ((Number) value(key, defaultValue)).doubleValue();
      if (number < min || number > max) {
        throw new SettingException(key + " must be from " + min + " to " + max);
      }
      return number;
    }

    @Override
    public boolean flag(String key, boolean defaultValue) {
      return (Boolean) value(key, defaultValue);
    }

    @Override
    public Duration duration(String key, Duration defaultValue) {
      return (Duration) value(key, defaultValue);
    }

    @Override
    public <E extends Enum<E>> E choice(String key, E defaultValue) {
      Object value = values.get(key);
      return value == null
          ? defaultValue
          : Enum.valueOf(
              defaultValue.getDeclaringClass(),
              value.toString().toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    private long inRange(String key, long value, long min, long max) {
      if (value < min || value > max) {
        throw new SettingException(key + " must be from " + min + " to " + max);
      }
      return value;
    }
  }
}
