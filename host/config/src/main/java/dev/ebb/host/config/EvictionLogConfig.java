package dev.ebb.host.config;

import static dev.ebb.host.config.ValueType.FLAG;
import static dev.ebb.host.config.ValueType.PATH;
import static dev.ebb.host.config.ValueType.SIZE;
import static dev.ebb.host.config.ValueType.integer;

import java.nio.file.Path;

/** {@code ebb.eviction.log} and related keys. */
public record EvictionLogConfig(boolean enabled, Path file, long fileBytes, int older) {

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<Boolean> ENABLED =
      KEYS.key("eviction.log", "false", FLAG)
          .live(
              "Whether every eviction is written to a file, the [eviction log](admin.md#eviction-log).");
  static final ConfigKey<Path> FILE =
      KEYS.key("eviction.log-file", "logs/evictions.log", PATH)
          .fixed("That file. Older files are `evictions.log.1` and so on.");
  static final ConfigKey<Long> FILE_SIZE =
      KEYS.key("eviction.log-file-size", "16 MiB", SIZE).fixed("Size at which a new file starts.");
  static final ConfigKey<Integer> OLDER =
      KEYS.key("eviction.log-files", "5", integer(1, 20)).fixed("Number of older files.");

  static EvictionLogConfig read(ConfigReader reader) {
    return new EvictionLogConfig(
        reader.get(ENABLED), reader.path(FILE), reader.get(FILE_SIZE), reader.get(OLDER));
  }
}
