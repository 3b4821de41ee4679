package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** {@code ebb.log}. */
public record LogConfig(LogFormat format) {

  /** The format of the log: a choice of {@code ebb.log.format}. */
  public enum LogFormat {
    /** Lines for people. */
    TEXT,
    /** A JSON object on each line. */
    JSON
  }

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<LogFormat> FORMAT =
      KEYS.fixed("log.format", ValueType.choice(LogFormat.class));

  static LogConfig read(ConfigReader reader) {
    return new LogConfig(reader.get(FORMAT));
  }
}
