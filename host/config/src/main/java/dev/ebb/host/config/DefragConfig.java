package dev.ebb.host.config;

import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;

/** {@code ebb.pool.defrag}. */
public record DefragConfig(double threshold, Duration interval, long sliceBytes, int shortRun) {

  static final Section<DefragConfig> SECTION =
      new Section<>(DefragConfig.class, "pool.defrag")
          .fixed("threshold", ValueType.number(0, 1))
          .fixed("interval", ValueType.INTERVAL)
          .fixed("slice", ValueType.SIZE)
          .fixed("short-run", ValueType.integer(1, 1 << 20));
}
