package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.PolicyContext;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prefix-hit ratios on recorded traces, against those found when the policy was designed. */
class RecordedTracesTest {

  private static final int[] CONVERSATION = {1000, 1828, 5000, 10000, 18279, 30000};
  private static final int[] SYNTHETIC = {1000, 5000, 10000, 22000};

  private static List<SimulatedRequest> conversation = List.of();
  private static List<SimulatedRequest> synthetic = List.of();

  @BeforeAll
  static void read() {
    conversation = Traces.read("conversation");
    synthetic = Traces.read("synthetic");
  }

  @Test
  void simulatorGivesTheKnownRatiosOfLeastRecentlyUsed() {
    double[] expected = {
      0.0445, 0.0525, 0.1118, 0.2116, 0.2789, 0.3257, 0.0841, 0.2793, 0.4239, 0.5889
    };
    assertThat(ratios(Map.of(), context -> new LeastRecentlyUsed()))
        .containsExactly(expected, within(0.00005));
  }

  @ParameterizedTest
  @CsvSource({
    "sip-4, .0821 .1067 .1747 .2358 .2953 .3354 .0993 .3086 .4549 .6007",
    "sip-6, .0797 .1069 .1770 .2444 .3001 .3378 .1047 .3184 .4692 .6066",
    "sip-7, .0831 .1095 .1816 .2438 .3012 .3371 .1052 .3278 .4788 .6314"
  })
  void predictiveReachesTheRatiosItWasDesignedFor(String factors, String row) {
    double[] expected = Arrays.stream(row.split(" ")).mapToDouble(Double::parseDouble).toArray();
    assertThat(ratios(Map.of("factors", factors), new PredictiveProvider()::create))
        .containsExactly(expected, within(0.005));
  }

  private static double[] ratios(
      Map<String, ?> settings, Function<PolicyContext, BlockPolicy<?>> provider) {
    double[] ratios = new double[CONVERSATION.length + SYNTHETIC.length];
    int at = 0;
    for (int capacity : CONVERSATION) {
      ratios[at++] = ratio(conversation, capacity, settings, provider);
    }
    for (int capacity : SYNTHETIC) {
      ratios[at++] = ratio(synthetic, capacity, settings, provider);
    }
    return ratios;
  }

  private static double ratio(
      List<SimulatedRequest> trace,
      int capacity,
      Map<String, ?> settings,
      Function<PolicyContext, BlockPolicy<?>> provider) {
    PrefixCache cache = new PrefixCache(new TestContext(capacity, 1, settings), provider);
    trace.forEach(cache::run);
    return cache.hitRatio();
  }
}
