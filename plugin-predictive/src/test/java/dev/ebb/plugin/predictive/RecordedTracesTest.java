package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.spi.sim.Reference;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prefix-hit ratios on recorded traces, against those found when the policy was designed. */
class RecordedTracesTest {

  private static final long[] CONVERSATION = {1000, 1828, 5000, 10000, 18279, 30000};
  private static final long[] SYNTHETIC = {1000, 5000, 10000, 22000};

  private static final Map<String, double[]> WITHOUT_ADMISSION = new ConcurrentHashMap<>();

  private static Trace conversation = new Trace(List.of(), 0);
  private static Trace synthetic = new Trace(List.of(), 0);

  @BeforeAll
  static void read() throws IOException {
    conversation = Reference.trace("conversation_trace.jsonl.gz");
    synthetic = Reference.trace("synthetic_trace.jsonl.gz");
  }

  @Test
  void simulatorGivesTheKnownRatiosOfLeastRecentlyUsed() {
    double[] expected = {
      0.0445, 0.0525, 0.1118, 0.2116, 0.2789, 0.3257, 0.0841, 0.2793, 0.4239, 0.5889
    };
    assertThat(ratios(PrefixRun::leastRecentlyUsed)).containsExactly(expected, within(0.00005));
  }

  @ParameterizedTest
  @CsvSource({
    "sip-4, .0821 .1067 .1747 .2358 .2953 .3354 .0993 .3086 .4549 .6007",
    "sip-6, .0797 .1069 .1770 .2444 .3001 .3378 .1047 .3184 .4749 .6066",
    "sip-7, .0831 .1095 .1816 .2438 .3012 .3371 .1052 .3278 .4788 .6314"
  })
  void predictiveReachesTheRatiosItWasDesignedFor(String factors, String row) {
    double[] expected = Arrays.stream(row.split(" ")).mapToDouble(Double::parseDouble).toArray();
    // Seeds differ by up to 0.004, and their mean is up to 0.005 below what the design reached.
    assertThat(withoutAdmission(factors)).containsExactly(expected, within(0.009));
  }

  @Test
  void admissionCostsNoHits() {
    double[] without = withoutAdmission("sip-7");
    double[] with = predictive(TestContext::ofCapacity);
    for (int i = 0; i < with.length; i++) {
      assertThat(with[i]).as("capacity %d of the list", i).isGreaterThan(without[i] - 0.004);
    }
    assertThat(DoubleStream.of(with).sum()).isGreaterThan(DoubleStream.of(without).sum());
  }

  @ParameterizedTest
  @CsvSource({"1, 40000", "2, 70000", "3, 100000", "4, 30000", "5, 40000"})
  void aLargeCacheLosesNextToNothingToLeastRecentlyUsed(long seed, long capacity) {
    Trace trace = seed <= 3 ? conversation : synthetic;
    TestContext context = TestContext.ofCapacity(capacity).withSeed(seed);
    assertThat(PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create).hitRatio())
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, capacity) - 0.001);
  }

  /** Runs each set of factors once. */
  private static double[] withoutAdmission(String factors) {
    return WITHOUT_ADMISSION.computeIfAbsent(
        factors,
        set ->
            predictive(capacity ->
                TestContext.ofCapacity(capacity).with("factors", set).with("admission", "false")));
  }

  private static double[] predictive(Function<Long, TestContext> context) {
    return ratios((trace, capacity) ->
        PrefixRun.of(trace, context.apply(capacity), PredictivePolicies.PREDICTIVE::create)
            .hitRatio());
  }

  private static double[] ratios(ToDoubleBiFunction<Trace, Long> ratio) {
    return DoubleStream.concat(
            Arrays.stream(CONVERSATION).mapToDouble(c -> ratio.applyAsDouble(conversation, c)),
            Arrays.stream(SYNTHETIC).mapToDouble(c -> ratio.applyAsDouble(synthetic, c)))
        .toArray();
  }
}
