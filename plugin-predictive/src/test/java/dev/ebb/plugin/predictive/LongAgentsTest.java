package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Prompts that are long beside the cache, where one of them that returns makes a difference. */
class LongAgentsTest {

  @ParameterizedTest
  @CsvSource({
    "2, 5, 500, 15, 30, 6619",
    "1, 20, 300, 15, 30, 6871",
    "5, 100, 150, 8, 20, 4892",
    "1, 20, 300, 15, 30, 13741"
  })
  void losesNextToNothingToLeastRecentlyUsed(
      long seed, int prompts, int shared, double added, int agents, long capacity) {
    Trace trace = LongAgents.trace(seed, prompts, shared, added, agents);
    TestContext context = TestContext.ofCapacity(capacity);
    assertThat(PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create).hitRatio())
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, capacity) - 0.0005);
  }

  @ParameterizedTest
  @CsvSource({"1, 20, 300, 15, 30, 3435, .10", "5, 100, 150, 8, 20, 1467, .02"})
  void gainsWhereTheOrderOfLastUseIsWrong(
      long seed, int prompts, int shared, double added, int agents, long capacity, double gain) {
    Trace trace = LongAgents.trace(seed, prompts, shared, added, agents);
    TestContext context = TestContext.ofCapacity(capacity);
    assertThat(PrefixRun.of(trace, context, PredictivePolicies.PREDICTIVE::create).hitRatio())
        .isGreaterThan(PrefixRun.leastRecentlyUsed(trace, capacity) + gain);
  }
}
