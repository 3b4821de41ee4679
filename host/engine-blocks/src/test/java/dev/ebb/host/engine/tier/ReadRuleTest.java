package dev.ebb.host.engine.tier;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadRuleTest {

  private final RemotePages.ReadRule rule = new RemotePages.ReadRule();

  @Test
  void readsUntilBothTimesAreKnown() {
    assertThat(rule.reads()).isTrue();
    rule.read(1, 1_000);
    assertThat(rule.reads()).isTrue();
  }

  @Test
  void readsOnlyWhileThatIsFasterThanComputing() {
    rule.read(10, 10_000);
    rule.computed(4, 2_000);
    assertThat(rule.reads()).isFalse();
    // The averages follow.
    for (int i = 0; i < 50; i++) {
      rule.computed(1, 5_000);
    }
    assertThat(rule.reads()).isTrue();
  }

  @Test
  void aMissDoesNotCountAsSlow() {
    rule.computed(1, 500);
    rule.read(0, 1_000_000);
    assertThat(rule.reads()).isTrue();
  }
}
