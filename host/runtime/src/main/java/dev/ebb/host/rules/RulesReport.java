package dev.ebb.host.rules;

import dev.ebb.host.config.rules.RuleConfig;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the rules.
 *
 * @param active the name of the active rule; null if none is
 * @param rules all of them, in order
 */
public record RulesReport(boolean paused, @Nullable String active, List<Item> rules) {

  public static final RulesReport NONE = new RulesReport(false, null, List.of());

  public RulesReport {
    rules = List.copyOf(rules);
  }

  /**
   * The state of one rule.
   *
   * @param reading the current value: a ratio, bytes or seconds; NaN if not known
   * @param beyond how long the value has exceeded the bound without a break; null if it does not
   * @param refusal why its policy cannot be activated; null if no failure is known
   */
  public record Item(
      RuleConfig rule,
      double reading,
      boolean holds,
      @Nullable Duration beyond,
      @Nullable String refusal,
      long switches) {

    static Item of(RuleState state, @Nullable String refusal, long nanos) {
      return new Item(
          state.rule(),
          state.reading(),
          state.holds(),
          state.beyondFor(nanos),
          refusal,
          state.switches());
    }
  }
}
