package dev.ebb.host.config;

import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.ValueType;

/** The probation of new entries. */
public record ProbationConfig(int minAccesses, double ratio) {

  static final Section<ProbationConfig> SECTION =
      new Section<>(ProbationConfig.class, "eviction")
          .fixed("min-access-count", ValueType.integer(1, 1_000_000))
          .fixed("probation-ratio", ValueType.number(0, 1));
}
