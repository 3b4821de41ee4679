package dev.ebb.host.config.key;

import dev.ebb.host.config.ConfigKeys;

/**
 * One key of the configuration. {@code reference.conf} has its default and its meaning.
 *
 * @param path its full path: {@code ebb.server.port}
 * @param type its allowed values
 * @param live whether it can change while Ebb runs; otherwise it needs a restart
 */
public record ConfigKey<T>(String path, ValueType<T> type, boolean live) {

  /** Returns a key that can change while Ebb runs; its path starts below {@code ebb}. */
  public static <T> ConfigKey<T> live(String path, ValueType<T> type) {
    return new ConfigKey<>(ConfigKeys.ROOT + "." + path, type, true);
  }

  /** Returns a key that needs a restart; its path starts below {@code ebb}. */
  public static <T> ConfigKey<T> fixed(String path, ValueType<T> type) {
    return new ConfigKey<>(ConfigKeys.ROOT + "." + path, type, false);
  }

  /** Returns whether users choose the names of the keys below it. */
  public boolean isSection() {
    return type.equals(ValueType.SECTION);
  }

  public T defaultValue() {
    return type.reading().apply(new Setting(path, ConfigKeys.DEFAULTS.getValue(path)));
  }

  /** Returns its path, with a wildcard if it is a section. */
  public String pattern() {
    return isSection() ? path + ".*" : path;
  }

  /** Returns whether its value must not be shown. */
  boolean isSecret() {
    return type.equals(ValueType.SECRET) || type.equals(ValueType.HEADERS);
  }

  @Override
  public String toString() {
    return path;
  }
}
