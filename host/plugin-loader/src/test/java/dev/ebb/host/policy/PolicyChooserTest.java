package dev.ebb.host.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyChooserTest {

  private static final int STEP = 64;
  private static final long CAPACITY = 2_000;

  private final PolicyChooser chooser = new PolicyChooser(3, CAPACITY, 0.005);

  /** Counts steps in which the policies hit with some probabilities; returns the switches. */
  private long steps(int steps, Random random, double... ratios) {
    long before = chooser.switches();
    for (int i = 0; i < steps; i++) {
      int[] hits = new int[ratios.length];
      for (int access = 0; access < STEP; access++) {
        double luck = random.nextDouble();
        for (int policy = 0; policy < hits.length; policy++) {
          hits[policy] += luck < ratios[policy] ? 1 : 0;
        }
      }
      chooser.count(STEP, hits);
    }
    return chooser.switches() - before;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void theBestPolicyIsChosenOnce(long seed) {
    assertThat(steps(2_000, new Random(seed), 0.2, 0.3, 0.25)).isOne();
    assertThat(chooser.choice()).isEqualTo(1);
    assertThat(chooser.hitRatio(1)).isBetween(0.29, 0.31);
    assertThat(chooser.regret()).isLessThan(0.005);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aSmallDifferenceChangesNothing(long seed) {
    assertThat(steps(5_000, new Random(seed), 0.2, 0.202, 0.198)).isZero();
    assertThat(chooser.choice()).isZero();
  }

  @Test
  void theChoiceFollowsTheWorkload() {
    Random random = new Random(1);
    steps(1_000, random, 0.3, 0.2, 0.1);
    assertThat(chooser.choice()).isZero();
    steps(1_000, random, 0.1, 0.2, 0.3);
    assertThat(chooser.choice()).isEqualTo(2);
    steps(1_000, random, 0.1, 0.3, 0.2);
    assertThat(chooser.choice()).isEqualTo(1);
    assertThat(chooser.switches()).isLessThanOrEqualTo(4);
  }

  @Test
  void beyondTheBoundOnlyTheBestPolicySinceTheStartCounts() {
    Random random = new Random(1);
    // Each change comes when the choice has followed the one before.
    while (!chooser.bounded()) {
      int choice = chooser.choice();
      double[] ratios = {0.3, 0.3, 0.5};
      ratios[choice] = 0.1;
      steps(1, random, ratios);
    }
    int best = 2;
    steps(200, random, 0.3, 0.3, 0.4);
    assertThat(chooser.choice()).isEqualTo(best);
    long switches = chooser.switches();
    // Lately another one is better, but not since the start.
    steps(20, random, 0.6, 0.3, 0.3);
    assertThat(chooser.bounded() ? chooser.switches() : switches).isEqualTo(switches);
    steps(5_000, random, 0.3, 0.3, 0.4);
    assertThat(chooser.choice()).isEqualTo(best);
    assertThat(chooser.regret()).isLessThan(0.005);
  }
}
