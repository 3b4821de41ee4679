package dev.ebb.host.rules;

import dev.ebb.host.config.rules.RuleConfig;
import java.util.List;

/** The values that rules compare with their bounds. */
interface Readings {

  /**
   * Rejects rules that watch a value this process does not measure.
   *
   * @throws dev.ebb.host.errors.UserError if there is one
   */
  void check(List<RuleConfig> rules);

  void take(List<RuleConfig> rules);

  /**
   * Returns a rule's value as of the last sample: a count, ratio, bytes or seconds; NaN if unknown.
   */
  double of(RuleConfig rule);
}
