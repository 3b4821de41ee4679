package dev.ebb.plugin.classic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.sim.PrefixModel;
import dev.ebb.spi.sim.SimContext;
import dev.ebb.spi.sim.SimRequest;
import dev.ebb.spi.sim.Trace;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LirsPolicyTest {

  private static final int HOT = 50;
  private static final int LONG = 40;

  @Test
  void keepsPromptsUsedAgainWhilePromptsLargerThanItsQueuePass() {
    List<SimRequest> requests = new ArrayList<>();
    addLong(requests, 0, 5);
    for (int use = 0; use < 3; use++) {
      addHot(requests);
    }
    addLong(requests, 5, 100);
    addHot(requests);
    Trace trace = new Trace(requests, HOT + 100 * LONG);

    long hits =
        PrefixModel.hits(ClassicPolicies.LIRS.create(new SimContext(100)), trace, 100, id -> {});

    // The first use of each is a miss, and so is the second: only then they are LIR.
    assertThat(hits).isEqualTo(2 * HOT);
  }

  private static void addHot(List<SimRequest> requests) {
    for (int hot = 0; hot < HOT; hot++) {
      requests.add(new SimRequest(hot));
    }
  }

  private static void addLong(List<SimRequest> requests, int from, int to) {
    for (int i = from; i < to; i++) {
      int first = HOT + i * LONG;
      requests.add(new SimRequest(IntStream.range(first, first + LONG).toArray()));
    }
  }
}
