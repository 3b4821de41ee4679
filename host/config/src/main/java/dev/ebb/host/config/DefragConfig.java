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
      KEYS.key("pool.defrag.threshold", "0.2", ValueType.number(0, 1))
          .fixed("Ebb compacts the pool if a larger share of the free blocks is in short runs.");
  static final ConfigKey<Duration> INTERVAL =
      KEYS.key("pool.defrag.interval", "60 s", ValueType.INTERVAL)
          .fixed("The time between checks of that share.");
  static final ConfigKey<Long> SLICE =
      KEYS.key("pool.defrag.slice", "16 MiB", ValueType.SIZE)
          .fixed("The most bytes moved while the pool is locked; at least one block.");
  static final ConfigKey<Integer> SHORT_RUN =
      KEYS.key("pool.defrag.short-run", "32", ValueType.integer(1, 1 << 20))
          .fixed("The length in blocks below which a run of free blocks counts as fragmented.");

  static DefragConfig read(ConfigReader reader) {
    return new DefragConfig(
        reader.get(THRESHOLD), reader.get(INTERVAL), reader.get(SLICE), reader.get(SHORT_RUN));
  }
}
