package dev.ebb.host.config;

import dev.ebb.host.config.key.Section;
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

  static final Section<LogConfig> SECTION =
      new Section<>(LogConfig.class, "log").fixed("format", ValueType.choice(LogFormat.class));
}
