package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;

/** {@code ebb.eviction.log} and related keys. */
public record EvictionLogConfig(boolean enabled, Path file, long fileBytes, int older) {

  public static final ConfigKey<Boolean> ENABLED = ConfigKey.live("eviction.log", ValueType.FLAG);

  static final Section<EvictionLogConfig> SECTION =
      new Section<>(EvictionLogConfig.class, "eviction")
          .key(ENABLED)
          .fixed("log-file", ValueType.PATH)
          .fixed("log-file-size", ValueType.SIZE)
          .fixed("log-files", ValueType.integer(1, 20));
}
