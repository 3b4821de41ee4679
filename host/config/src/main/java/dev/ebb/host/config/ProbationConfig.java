package dev.ebb.host.config;

import static dev.ebb.host.config.ValueType.integer;
import static dev.ebb.host.config.ValueType.number;

/** The probation of new entries. */
public record ProbationConfig(int minAccesses, double ratio) {

  static final SectionKeys KEYS = new SectionKeys();

  static final ConfigKey<Integer> MIN_ACCESSES =
      KEYS.key("eviction.min-access-count", "1", integer(1, 1_000_000))
          .fixed(
              "Accesses, including the first, before an entry leaves [probation](serve.md#probation-for-new-entries) and reaches the policy.");
  static final ConfigKey<Double> RATIO =
      KEYS.key("eviction.probation-ratio", "0.1", number(0, 1))
          .fixed("Share of the capacity for entries on probation.");

  static ProbationConfig read(ConfigReader reader) {
    return new ProbationConfig(reader.get(MIN_ACCESSES), reader.get(RATIO));
  }
}
