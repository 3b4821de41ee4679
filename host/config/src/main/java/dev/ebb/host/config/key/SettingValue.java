package dev.ebb.host.config.key;

import dev.ebb.host.units.TimeSpan;
import java.time.Duration;

/**
 * A setting that a strategy has read.
 *
 * @param value the active value: a text, a number or a flag
 */
public record SettingValue(String key, Object value, Object defaultValue) {

  /** Hides the value of a secret. */
  public SettingValue {
    if (Secrets.isName(key)) {
      value = Secrets.state(value);
      defaultValue = Secrets.state(defaultValue);
    }
  }

  static Object plain(Object value) {
    return switch (value) {
      case Duration duration -> TimeSpan.exact(duration);
      case Enum<?> constant -> Setting.name(constant);
      default -> value;
    };
  }
}
