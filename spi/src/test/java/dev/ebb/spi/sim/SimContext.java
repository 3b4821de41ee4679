package dev.ebb.spi.sim;

import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SettingException;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * A context of some capacity, whose settings are texts and whose clock does not advance.
 *
 * @param capacityBlocks the capacity
 * @param values configured settings by name
 */
public record SimContext(long capacityBlocks, Map<String, String> values)
    implements PolicyContext, Settings {

  /** A context in which nothing is configured. */
  public SimContext(long capacityBlocks) {
    this(capacityBlocks, Map.of());
  }

  @Override
  public String partition() {
    return "default";
  }

  @Override
  public Settings settings() {
    return this;
  }

  @Override
  public PolicyClock clock() {
    return () -> 0;
  }

  /** A generator that depends on the capacity only. */
  @Override
  public RandomGenerator random() {
    return new Random(capacityBlocks);
  }

  @Override
  public String string(String key, String defaultValue) {
    return values.getOrDefault(key, defaultValue);
  }

  @Override
  public long integer(String key, long defaultValue, long min, long max) {
    return (long) number(key, (double) defaultValue, (double) min, (double) max);
  }

  @Override
  public double number(String key, double defaultValue, double min, double max) {
    String text = values.get(key);
    double value = text == null ? defaultValue : Double.parseDouble(text);
    if (value < min || value > max) {
      throw new SettingException(key + " is \"" + text + "\", allowed is " + min + " to " + max);
    }
    return value;
  }

  @Override
  public boolean flag(String key, boolean defaultValue) {
    String text = values.get(key);
    return text == null ? defaultValue : Boolean.parseBoolean(text);
  }

  @Override
  public long bytes(String key, long defaultValue, long min, long max) {
    return integer(key, defaultValue, min, max);
  }

  @Override
  public Duration duration(String key, Duration defaultValue, Duration min, Duration max) {
    String text = values.get(key);
    return text == null ? defaultValue : Duration.parse(text);
  }

  @Override
  public <E extends Enum<E>> E choice(String key, E defaultValue) {
    String text = values.get(key);
    return text == null
        ? defaultValue
        : Enum.valueOf(
            defaultValue.getDeclaringClass(), text.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
