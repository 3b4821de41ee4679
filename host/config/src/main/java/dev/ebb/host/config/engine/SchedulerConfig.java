package dev.ebb.host.config.engine;

import dev.ebb.host.config.key.Choice;
import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.StrategySettings;
import dev.ebb.host.config.key.ValueType;
import java.util.List;

/** {@code ebb.scheduler}. */
public record SchedulerConfig(
    Choice preemption, StrategySettings policies, PriorityScale priorities) {

  /** The preemption policies of Ebb itself, which need no plugin. */
  public static final List<String> BUILT_IN =
      List.of("lowest-priority", "least-progress", "cheapest-to-recompute");

  public static final ConfigKey<String> PREEMPTION =
      ConfigKey.fixed("scheduler.preemption", ValueType.NAME);

  public static final Section<SchedulerConfig> SECTION =
      new Section<>(SchedulerConfig.class, "scheduler")
          .key(PREEMPTION)
          .fixed("policies", ValueType.SECTION)
          .section(
              new Section<>(PriorityScale.class, "scheduler")
                  .fixed("priority-sign", ValueType.SIGN)
                  .fixed("priority-limit", ValueType.integer(0, Integer.MAX_VALUE)));
}
