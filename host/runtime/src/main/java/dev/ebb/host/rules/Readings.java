package dev.ebb.host.rules;

import dev.ebb.host.config.RuleConfig;
import java.util.List;

/** What rules watch. */
interface Readings {

  /**
   * Refuses a rule that watches what is not measured here.
   *
   * @throws dev.ebb.host.errors.UserError if there is one
   */
  void check(List<RuleConfig> rules);

  /** Looks anew. */
  void take(List<RuleConfig> rules);

  /** What a rule watches, as of the last look: a ratio, bytes or seconds; NaN if not known. */
  double of(RuleConfig rule);
}
