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
 * @since 0.1.0
 */
public interface Settings {

  /**
   * A text.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @return the text
   */
  String string(String key, String defaultValue);

  /**
   * A whole number.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @param min the smallest allowed value
   * @param max the largest allowed value
   * @return the number, within [min, max]
   */
  long integer(String key, long defaultValue, long min, long max);

  /**
   * A number.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @param min the smallest allowed value
   * @param max the largest allowed value
   * @return the number, within [min, max]
   */
  double number(String key, double defaultValue, double min, double max);

  /**
   * Yes or no.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @return the choice
   */
  boolean flag(String key, boolean defaultValue);

  /**
   * A length of time, written as {@code 10 s}, {@code 5 minutes}; never negative.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured
   * @return the duration
   */
  Duration duration(String key, Duration defaultValue);

  /**
   * One of an enum's constants, written in lower case with dashes.
   *
   * @param key the setting's name
   * @param defaultValue used if it is not configured; its enum says what is allowed
   * @param <E> the enum
   * @return the constant
   */
  <E extends Enum<E>> E choice(String key, E defaultValue);
}
