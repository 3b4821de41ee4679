package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;

/** {@code ebb.eviction.log} and related keys. */
public record EvictionLogConfig(boolean enabled, Path file, long fileBytes, int older) {

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<Boolean> ENABLED =
      KEYS.key("eviction.log", "false", ValueType.FLAG)
          .live("Writes every eviction to a file, the [eviction log](admin.md#eviction-log).");
  static final ConfigKey<Path> FILE =
      KEYS.key("eviction.log-file", "logs/evictions.log", ValueType.PATH)
          .fixed("That file. Older files are `evictions.log.1` and so on.");
  static final ConfigKey<Long> FILE_SIZE =
      KEYS.key("eviction.log-file-size", "16 MiB", ValueType.SIZE)
          .fixed("Size at which a new file starts.");
  static final ConfigKey<Integer> OLDER =
      KEYS.key("eviction.log-files", "5", ValueType.integer(1, 20)).fixed("Number of older files.");

  static EvictionLogConfig read(ConfigReader reader) {
    return new EvictionLogConfig(
        reader.get(ENABLED), reader.path(FILE), reader.get(FILE_SIZE), reader.get(OLDER));
  }
}
