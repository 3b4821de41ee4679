package dev.ebb.plugin.snapkv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenView;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.testkit.TestTokenView;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlidingWindowPolicyTest {

  @ParameterizedTest
  @CsvSource({
    // length, prefix, window, protected
    "5000, 4, 1024, 1028",
    "5000, 64, 1024, 1088",
    "1028, 4, 1024, 1028",
    "1029, 4, 1024, 1028",
    "100, 4, 1024, 100",
    "3, 4, 1024, 3",
    "5000, 0, 10, 10",
    "10, 2147483647, 2147483647, 10",
    "0, 4, 1024, 0",
  })
  void protectsThePrefixAndTheWindow(int length, String prefix, String window, int expected) {
    TokenPolicy policy = create(Map.of("protected-prefix", prefix, "window", window));
    BitSet mask = new BitSet();
    policy.protect(sequence(length), mask);
    assertThat(mask.cardinality()).isEqualTo(expected);
    assertThat(mask.length()).isEqualTo(length);
    assertThat(mask.get(0)).isEqualTo(length > 0 && !prefix.equals("0"));
  }

  @Test
  void protectsFourAndThe1024NewestByDefault() {
    BitSet mask = new BitSet();
    create(Map.of()).protect(sequence(5000), mask);
    BitSet expected = new BitSet();
    expected.set(0, 4);
    expected.set(5000 - 1024, 5000);
    assertThat(mask).isEqualTo(expected);
  }

  @Test
  void scoresNewerTokensHigher() {
    float[] scores = new float[200];
    create(Map.of()).score(sequence(200), 0, scores);
    for (int i = 1; i < scores.length; i++) {
      assertThat(scores[i]).isGreaterThan(scores[i - 1]);
    }
  }

  @Test
  void needsNoSignalAndKeepsOneSetForASequence() {
    TokenPolicy policy = create(Map.of());
    assertThat(policy.signals()).isEmpty();
    assertThat(policy.granularity()).isEqualTo(TokenPolicy.Granularity.SEQUENCE);
    assertThat(policy.trigger()).isEqualTo(TokenPolicy.Trigger.UNDER_PRESSURE);
  }

  private static TokenPolicy create(Map<String, String> settings) {
    return SnapKvPolicies.SLIDING_WINDOW.create(new SimContext(1, settings));
  }

  /** A sequence of some length that gives no signal. */
  private static TokenView sequence(int length) {
    return new TestTokenView(2, 2, 4, 8, length);
  }
}
