package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.ValueType;

/** The probation of new entries. */
public record ProbationConfig(int minAccesses, double ratio) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Integer> MIN_ACCESSES =
      KEYS.key("eviction.min-access-count", "1", ValueType.integer(1, 1_000_000))
          .fixed(
              "Accesses, the first included, that end"
                  + " [probation](serve.md#probation-for-new-entries).");
  static final ConfigKey<Double> RATIO =
      KEYS.key("eviction.probation-ratio", "0.1", ValueType.number(0, 1))
          .fixed("Share of the capacity for entries on probation.");

  static ProbationConfig read(ConfigReader reader) {
    return new ProbationConfig(reader.get(MIN_ACCESSES), reader.get(RATIO));
  }
}
