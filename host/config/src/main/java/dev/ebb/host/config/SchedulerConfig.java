package dev.ebb.host.config;

import java.util.List;

/** {@code ebb.scheduler}. */
public record SchedulerConfig(Choice preemption, StrategySettings policies) {

  /** The preemption policies of Ebb itself, which need no plugin. */
  public static final List<String> BUILT_IN =
      List.of("lowest-priority", "least-progress", "cheapest-to-recompute");

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<String> PREEMPTION =
      KEYS.key("scheduler.preemption", "lowest-priority", ValueType.NAME)
          .fixed(
              "Which running sequence an [engine](embedding.md) preempts when memory is short: `lowest-priority`, `least-progress`, `cheapest-to-recompute`, or a [plugin's policy](scheduler.md#preemption).");
  static final ConfigKey<StrategySettings> POLICIES =
      KEYS.key("scheduler.policies", "{}", ValueType.SECTION)
          .fixed("Settings of each preemption policy under its name; `plugin` as above.");

  static SchedulerConfig read(ConfigReader reader) {
    return new SchedulerConfig(reader.choice(PREEMPTION), reader.get(POLICIES));
  }
}
