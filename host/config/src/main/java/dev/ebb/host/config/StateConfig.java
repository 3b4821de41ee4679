package dev.ebb.host.config;

import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code ebb.state}. */
public record StateConfig(@Nullable Path folder, Duration interval) {

  static final Section<StateConfig> SECTION =
      new Section<>(StateConfig.class, "state")
          .fixed("folder", ValueType.OPTIONAL_PATH)
          .fixed("interval", ValueType.INTERVAL);
}
