package dev.ebb.host.config;

import static dev.ebb.host.config.ValueType.SIZE;
import static dev.ebb.host.config.ValueType.integer;
import static dev.ebb.host.config.ValueType.number;

import java.time.Duration;

/** {@code ebb.pool.defrag}. */
public record DefragConfig(double threshold, Duration interval, long sliceBytes, int shortRun) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Double> THRESHOLD =
      KEYS.key("pool.defrag.threshold", "0.2", number(0, 1))
          .fixed(
              "The share of free blocks in short runs above which Ebb compacts the pool in the background.");
  static final ConfigKey<Duration> INTERVAL =
      KEYS.key("pool.defrag.interval", "60 s", ValueType.INTERVAL)
          .fixed("The time between checks of that share.");
  static final ConfigKey<Long> SLICE =
      KEYS.key("pool.defrag.slice", "16 MiB", SIZE)
          .fixed("The most bytes moved while the pool is locked; at least one block.");
  static final ConfigKey<Integer> SHORT_RUN =
      KEYS.key("pool.defrag.short-run", "32", integer(1, 1 << 20))
          .fixed("The length in blocks below which a run of free blocks counts as fragmented.");

  static DefragConfig read(ConfigReader reader) {
    return new DefragConfig(
        reader.get(THRESHOLD), reader.get(INTERVAL), reader.get(SLICE), reader.get(SHORT_RUN));
  }
}
