package dev.ebb.host.rules;

import dev.ebb.host.config.RuleConfig;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rules as of now.
 *
 * @param paused whether they decide nothing until they are resumed
 * @param active the name of the active rule; null if none is
 * @param rules all of them, in order
 */
public record RulesReport(boolean paused, @Nullable String active, List<Item> rules) {

  /** No rules. */
  public static final RulesReport NONE = new RulesReport(false, null, List.of());

  /** Takes a copy of the list. */
  public RulesReport {
    rules = List.copyOf(rules);
  }

  /**
   * A rule.
   *
   * @param rule as it is configured
   * @param reading what it watches as of now: a ratio, bytes or seconds; NaN if not known
   * @param holds whether it is so
   * @param beyond how long it has been beyond its bound without a break, or once it holds, since
   *     that began; null if it is not
   * @param refusal why its policy cannot be activated; null if it can, as far as is known
   * @param switches how often it has activated its policy
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
