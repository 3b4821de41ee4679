package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;
import java.time.Duration;

/** {@code ebb.pool.defrag}. */
public record DefragConfig(double threshold, Duration interval, long sliceBytes, int shortRun) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Double> THRESHOLD =
      KEYS.fixed("pool.defrag.threshold", ValueType.number(0, 1));
  static final ConfigKey<Duration> INTERVAL =
      KEYS.fixed("pool.defrag.interval", ValueType.INTERVAL);
  static final ConfigKey<Long> SLICE = KEYS.fixed("pool.defrag.slice", ValueType.SIZE);
  static final ConfigKey<Integer> SHORT_RUN =
      KEYS.fixed("pool.defrag.short-run", ValueType.integer(1, 1 << 20));

  static DefragConfig read(ConfigReader reader) {
    return new DefragConfig(
        reader.get(THRESHOLD), reader.get(INTERVAL), reader.get(SLICE), reader.get(SHORT_RUN));
  }
}
