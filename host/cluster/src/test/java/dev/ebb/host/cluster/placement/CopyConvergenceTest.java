package dev.ebb.host.cluster.placement;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random clusters with random faults end with the copies that they should have. */
class CopyConvergenceTest {

  @Test
  void convergesAfterRandomEvents() {
    run(0, 4_000);
  }

  @Test
  @Tag("stress")
  void convergesAfterManyRandomEvents() {
    run(1_000_000, 1_000_000);
  }

  private static void run(long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      int steps = 1 + (int) (seed % 40);
      try {
        new VirtualCluster(seed, null).run(steps);
      } catch (AssertionError | RuntimeException failed) {
        throw new AssertionError(history(seed, steps), failed);
      }
    }
  }

  private static String history(long seed, int steps) {
    List<String> trace = new ArrayList<>();
    try {
      new VirtualCluster(seed, trace).run(steps);
    } catch (AssertionError | RuntimeException again) {
      trace.add(again.toString());
    }
    return "seed " + seed + ":\n" + String.join("\n", trace);
  }
}
