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
      KEYS.key("scheduler.preemption", "lowest-priority", ValueType.NAME)
          .fixed(
              "Which running sequence an [engine](embedding.md) preempts when memory is short:"
                  + " `lowest-priority`, `least-progress`, `cheapest-to-recompute`, or a [plugin's"
                  + " policy](scheduler.md#preemption).");
  static final ConfigKey<StrategySettings> POLICIES =
      KEYS.key("scheduler.policies", "{}", ValueType.SECTION)
          .fixed("Settings of each preemption policy under its name; `plugin` as above.");
  static final ConfigKey<Integer> PRIORITY_SIGN =
      KEYS.key("scheduler.priority-sign", "1", ValueType.SIGN)
          .fixed(
              "`1` if a client's larger [priority](policies.md#priorities) is more important and 1"
                  + " is normal, `-1` if its smaller one is and 0 is normal, as in vLLM.");
  static final ConfigKey<Integer> PRIORITY_LIMIT =
      KEYS.key("scheduler.priority-limit", "2147483647", ValueType.integer(0, Integer.MAX_VALUE))
          .fixed(
              "How far a client's priority can be from the normal one, beyond which it counts as"
                  + " this far; 0 ignores priorities of clients.");

  public static SchedulerConfig read(ConfigReader reader) {
    return new SchedulerConfig(
        reader.choice(PREEMPTION),
        reader.get(POLICIES),
        new PriorityScale(reader.get(PRIORITY_SIGN), reader.get(PRIORITY_LIMIT)));
  }
}
