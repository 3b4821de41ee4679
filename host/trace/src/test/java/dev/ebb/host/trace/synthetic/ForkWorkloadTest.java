package dev.ebb.host.trace.synthetic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ForkWorkloadTest {

  private static final int REQUESTS = 4_000;
  private static final double PER_SECOND = 20;

  private static DecodedTrace trace() {
    SyntheticOptions options =
        new SyntheticOptions().requests(REQUESTS).requestsPerSecond(PER_SECOND).blockTokens(64);
    return DecodedTrace.decode("fork", new SyntheticTrace(SyntheticTrace.Shape.FORK, options));
  }

  @Test
  void attemptsBeginAgainInsideEarlierPrompts() {
    Map<Long, Long> before = new HashMap<>();
    Map<Long, Set<Long>> after = new HashMap<>();
    Map<Long, Integer> depths = new HashMap<>();
    Set<Long> ambiguous = new HashSet<>();
    for (TraceCursor each = trace().cursor(); each.next(); ) {
      TraceRequest request = each.request();
      for (int i = 0; i < request.blocks(); i++) {
        long previous = i == 0 ? 0 : request.id(i - 1);
        if (before.merge(request.id(i), previous, (known, now) -> known) != previous) {
          ambiguous.add(request.id(i));
        }
        after.computeIfAbsent(previous, any -> new HashSet<>()).add(request.id(i));
        depths.put(request.id(i), i);
      }
    }
    assertThat(ambiguous).as("an id stands for all before it").isEmpty();
    long branches =
        after.entrySet().stream()
            .filter(each -> each.getKey() != 0 && each.getValue().size() > 1)
            .count();
    assertThat(branches).as("points where prompts diverge").isGreaterThan(REQUESTS / 10);
    long deepBranches =
        after.entrySet().stream()
            .filter(each -> each.getValue().size() > 1)
            .filter(each -> depths.getOrDefault(each.getKey(), 0) > 50)
            .count();
    assertThat(deepBranches).isGreaterThan(REQUESTS / 20);
  }

  @Test
  void requestsArriveInOrderAtSomethingLikeTheRate() {
    long last = 0;
    for (TraceCursor each = trace().cursor(); each.next(); ) {
      assertThat(each.request().timestampNanos()).isGreaterThanOrEqualTo(last);
      last = each.request().timestampNanos();
    }
    // The first conversations have not branched off yet.
    assertThat(REQUESTS / (last / 1e9)).isBetween(PER_SECOND / 3, PER_SECOND * 1.5);
  }

  @Test
  void equalSeedsGiveEqualTraces() {
    assertThat(trace().ids()).isEqualTo(trace().ids());
  }
}
