package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** {@code ebb.log}. */
public record LogConfig(LogFormat format) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<LogFormat> FORMAT =
      KEYS.fixed("log.format", ValueType.choice(LogFormat.class));

  static LogConfig read(ConfigReader reader) {
    return new LogConfig(reader.get(FORMAT));
  }
}
