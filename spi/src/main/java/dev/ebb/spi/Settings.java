package dev.ebb.spi;

import java.time.Duration;

/**
 * Typed look-ups in a strategy's own settings, with defaults. Names are lower case with dashes.
 *
 * <p>Reading a setting declares it: after {@link BlockPolicyProvider#create} has returned, a key in
 * the configuration that was never read is reported as unknown. All methods throw {@link
 * SettingException}, with file and line, if the configured value has the wrong type or lies outside
 * the allowed range.
 *
 * @since 1.0.0
 */
public interface Settings {

  /**
   * Returns a text.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @return the text
   */
  String string(String key, String defaultValue);

  /**
   * Returns a whole number.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @param min the smallest allowed value
   * @param max the largest allowed value
   * @return the number, within [min, max]
   */
  long integer(String key, long defaultValue, long min, long max);

  /**
   * Returns a number.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @param min the smallest allowed value
   * @param max the largest allowed value
   * @return the number, within [min, max]
   */
  double number(String key, double defaultValue, double min, double max);

  /**
   * Returns a yes or no.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @return the choice
   */
  boolean flag(String key, boolean defaultValue);

  /**
   * Returns a size, written with its unit as {@code 64 MiB}, {@code 500 kB}, {@code 0 B}.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured, in bytes
   * @param min the smallest allowed value in bytes, at least 0
   * @param max the largest allowed value in bytes
   * @return bytes, within [min, max]
   */
  long bytes(String key, long defaultValue, long min, long max);

  /**
   * Returns a length of time, written with its unit as {@code 10 s}, {@code 1.5 h}, {@code 5
   * minutes}.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @param min the smallest allowed value, not negative
   * @param max the largest allowed value
   * @return the duration, within [min, max]
   */
  Duration duration(String key, Duration defaultValue, Duration min, Duration max);

  /**
   * Returns a length of time of any size, written as {@link #duration(String, Duration, Duration,
   * Duration)} is.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @return the duration, never negative and at most 292 years
   */
  default Duration duration(String key, Duration defaultValue) {
    return duration(key, defaultValue, Duration.ZERO, Duration.ofNanos(Long.MAX_VALUE));
  }

  /**
   * Returns one of an enum's constants, written in lower case with dashes.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured; its enum says what is allowed
   * @param <E> the enum
   * @return the constant
   */
  <E extends Enum<E>> E choice(String key, E defaultValue);
}
