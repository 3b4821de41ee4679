package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code ebb.state}. */
public record StateConfig(@Nullable Path folder, Duration interval) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Optional<Path>> FOLDER =
      KEYS.fixed("state.folder", ValueType.OPTIONAL_PATH);
  static final ConfigKey<Duration> INTERVAL = KEYS.fixed("state.interval", ValueType.INTERVAL);

  static StateConfig read(ConfigReader reader) {
    return new StateConfig(reader.optionalPath(FOLDER), reader.get(INTERVAL));
  }
}
