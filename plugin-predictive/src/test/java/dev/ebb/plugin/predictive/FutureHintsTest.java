package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.Reference;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import dev.ebb.testkit.TestContext;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Return times read from the rest of a recorded trace, some of them exchanged at random. */
class FutureHintsTest {

  /** What stands for a prompt whose blocks are never used again. */
  private static final long NEVER = Long.MAX_VALUE;

  private Trace trace = new Trace(List.of(), 0);

  @BeforeEach
  void read() throws IOException {
    trace = Reference.trace("conversation_trace.jsonl.gz");
  }

  // Other tests use the same requests.
  @AfterEach
  void forget() {
    trace.requests().forEach(request -> request.returnAfterNanos = -1);
  }

  @ParameterizedTest
  @CsvSource({
    "1000, .1907",
    "1828, .2464",
    "5000, .3412",
    "10000, .3664",
    "18279, .3664",
    "30000, .3664"
  })
  void returnTimesOfWhichAFifthAreWrongCloseHalfOfTheGapToTheOptimum(
      long capacity, double optimum) {
    state(0.2);
    double lru = PrefixRun.leastRecentlyUsed(trace, capacity);
    double hits =
        PrefixRun.of(trace, TestContext.ofCapacity(capacity), PredictivePolicies.PREDICTIVE::create)
            .hitRatio();
    assertThat((hits - lru) / (optimum - lru)).isGreaterThan(0.5);
  }

  /**
   * States for each request when the last full block of its prompt is used again.
   *
   * @param wrong the share of requests that state the time of any other request
   */
  private void state(double wrong) {
    List<SimRequest> requests = trace.requests();
    long[] after = new long[requests.size()];
    long[] next = new long[trace.distinct()];
    Arrays.fill(next, NEVER);
    for (int i = after.length - 1; i >= 0; i--) {
      SimRequest request = requests.get(i);
      long again = next[request.ids[Math.max(0, request.ids.length - 2)]];
      after[i] = again == NEVER ? NEVER : again - request.nanos;
      for (int id : request.ids) {
        next[id] = request.nanos;
      }
    }
    Random random = new Random(77);
    for (int i = 0; i < after.length; i++) {
      boolean exchanged = random.nextDouble() < wrong;
      requests.get(i).returnAfterNanos = after[exchanged ? random.nextInt(after.length) : i];
    }
  }
}
