package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** The probation of new entries. */
public record ProbationConfig(int minAccesses, double ratio) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Integer> MIN_ACCESSES =
      KEYS.fixed("eviction.min-access-count", ValueType.integer(1, 1_000_000));
  static final ConfigKey<Double> RATIO =
      KEYS.fixed("eviction.probation-ratio", ValueType.number(0, 1));

  static ProbationConfig read(ConfigReader reader) {
    return new ProbationConfig(reader.get(MIN_ACCESSES), reader.get(RATIO));
  }
}
