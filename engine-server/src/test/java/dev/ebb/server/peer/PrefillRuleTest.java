package dev.ebb.server.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrefillRuleTest {

  private static final int MANY = 1_000;

  private final PrefillRule rule = new PrefillRule();

  @Test
  void shortPromptsAreNotWorthARequest() {
    assertThat(rule.asks(PrefillRule.LEAST_TOKENS - 1)).isFalse();
    assertThat(rule.asks(PrefillRule.LEAST_TOKENS)).isTrue();
  }

  @Test
  void anEngineThatTakesUpToTwiceTheTimeIsAsked() {
    rule.computed(100, 100_000);
    rule.obtained(100, 190_000);
    assertThat(rule.asks(MANY)).isTrue();
    rule.obtained(100, 1_000_000);
    assertThat(rule.asks(MANY)).isFalse();
    for (int i = 0; i < 50; i++) {
      rule.computed(100, 1_000_000);
    }
    assertThat(rule.asks(MANY)).isTrue();
  }

  @Test
  void afterAFailureItIsNotAskedUntilItHasServed() {
    rule.failed();
    assertThat(rule.asks(MANY)).isFalse();
    rule.obtained(100, 100);
    assertThat(rule.asks(MANY)).isTrue();
  }

  @Test
  void theLimitGrowsWithTheTokens() {
    long unknown = rule.limitNanos(MANY);
    rule.computed(1, 1_000_000_000);
    assertThat(rule.limitNanos(MANY)).isEqualTo(4_000L * 1_000_000_000);
    assertThat(rule.limitNanos(1)).isLessThan(unknown);
  }
}
