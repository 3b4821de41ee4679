package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;

/** {@code ebb.eviction.log} and related keys. */
public record EvictionLogConfig(boolean enabled, Path file, long fileBytes, int older) {

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<Boolean> ENABLED = KEYS.live("eviction.log", ValueType.FLAG);
  static final ConfigKey<Path> FILE = KEYS.fixed("eviction.log-file", ValueType.PATH);
  static final ConfigKey<Long> FILE_SIZE = KEYS.fixed("eviction.log-file-size", ValueType.SIZE);
  static final ConfigKey<Integer> OLDER =
      KEYS.fixed("eviction.log-files", ValueType.integer(1, 20));

  static EvictionLogConfig read(ConfigReader reader) {
    return new EvictionLogConfig(
        reader.get(ENABLED), reader.path(FILE), reader.get(FILE_SIZE), reader.get(OLDER));
  }
}
