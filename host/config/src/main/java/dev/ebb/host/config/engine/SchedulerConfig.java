package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import java.util.List;

/** {@code ebb.scheduler}. */
public record SchedulerConfig(
    Choice preemption, StrategySettings policies, PriorityScale priorities) {

  /** The preemption policies of Ebb itself, which need no plugin. */
  public static final List<String> BUILT_IN =
      List.of("lowest-priority", "least-progress", "cheapest-to-recompute");

  public static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<String> PREEMPTION =
      KEYS.fixed("scheduler.preemption", ValueType.NAME);
  static final ConfigKey<StrategySettings> POLICIES =
      KEYS.fixed("scheduler.policies", ValueType.SECTION);
  static final ConfigKey<Integer> PRIORITY_SIGN =
      KEYS.fixed("scheduler.priority-sign", ValueType.SIGN);
  static final ConfigKey<Integer> PRIORITY_LIMIT =
      KEYS.fixed("scheduler.priority-limit", ValueType.integer(0, Integer.MAX_VALUE));

  public static SchedulerConfig read(ConfigReader reader) {
    return new SchedulerConfig(
        reader.choice(PREEMPTION),
        reader.get(POLICIES),
        new PriorityScale(reader.get(PRIORITY_SIGN), reader.get(PRIORITY_LIMIT)));
  }
}
