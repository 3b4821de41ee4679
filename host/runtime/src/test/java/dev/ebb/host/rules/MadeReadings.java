package dev.ebb.host.rules;

import dev.ebb.host.config.rules.RuleConfig;
import dev.ebb.spi.PolicyClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Readings and a clock that a test sets. */
final class MadeReadings implements Readings, PolicyClock {

  private final Map<String, Double> values = new HashMap<>();
  private long seconds = 1_000;

  /** What a rule watches from now on. */
  void set(String subject, double value) {
    values.put(subject, value);
  }

  void advance(long by) {
    seconds += by;
  }

  @Override
  public void check(List<RuleConfig> rules) {}

  @Override
  public void take(List<RuleConfig> rules) {}

  @Override
  public double of(RuleConfig rule) {
    return values.getOrDefault(rule.subject(), Double.NaN);
  }

  @Override
  public long nanos() {
    return seconds * 1_000_000_000L;
  }
}
