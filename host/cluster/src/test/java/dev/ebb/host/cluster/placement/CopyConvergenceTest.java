package dev.ebb.host.cluster.placement;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.placement.VirtualCluster.Transition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random clusters with random faults end with the copies that they should have. */
class CopyConvergenceTest {

  /** From this seed on, nodes offer new values before the directory knows them. */
  private static final long FIRST_DIRECT = 10_000_000;

  @Test
  void convergesAfterRandomEvents() {
    Set<Transition> seen = run(0, 3_500);
    Set<Transition> missing = new LinkedHashSet<>();
    for (ValueState from : ValueState.values()) {
      for (ValueEvent event : ValueEvent.values()) {
        event.after(from).forEach(to -> missing.add(new Transition(from, event, to)));
      }
    }
    missing.removeAll(seen);
    // Takes more clusters than these.
    missing.removeIf(
        each -> each.event() == ValueEvent.ANNOUNCED && each.to() == ValueState.DELETED);
    // No directory of these clusters forgets a deletion, and a state can always stay as it is.
    missing.removeIf(each -> each.event() == ValueEvent.FORGOTTEN || each.from() == each.to());
    assertThat(missing).as("transitions that no cluster made").isEmpty();
  }

  @Test
  void convergesWithOffersThatPrecedeTheDirectory() {
    run(FIRST_DIRECT, 250);
  }

  @Test
  void replicasLearnTheExpiryOfAMainCopyThatWasEvictedSoon() {
    run(1_442_865, 1);
  }

  @Test
  @Tag("stress")
  void convergesAfterManyRandomEvents() {
    run(1_000_000, 1_000_000);
  }

  private static Set<Transition> run(long first, int seeds) {
    Set<Transition> seen = new HashSet<>();
    for (long seed = first; seed < first + seeds; seed++) {
      int steps = 1 + (int) (seed % 40);
      try {
        VirtualCluster cluster = cluster(seed, null);
        cluster.run(steps);
        seen.addAll(cluster.transitions());
      } catch (AssertionError | RuntimeException failed) {
        throw new AssertionError(history(seed, steps), failed);
      }
    }
    return seen;
  }

  private static VirtualCluster cluster(long seed, @Nullable List<String> trace) {
    VirtualCluster cluster = new VirtualCluster(seed, trace);
    return seed < FIRST_DIRECT ? cluster : cluster.offeringDirectly();
  }

  private static String history(long seed, int steps) {
    List<String> trace = new ArrayList<>();
    try {
      cluster(seed, trace).run(steps);
    } catch (AssertionError | RuntimeException again) {
      trace.add(again.toString());
    }
    return "seed " + seed + ":\n" + String.join("\n", trace);
  }
}
