package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GhostsTest {

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "3, 7", "4, 100", "5, 700", "6, 64", "7, 65", "8, 10000000"})
  void remembersTheLastOnesInOrderOfLeaving(long seed, int limit) {
    Random random = new Random(seed);
    Cohorts cohorts = new Cohorts(new SurvivalModel(FactorSet.SIP_4, 100));
    Ghosts ghosts = new Ghosts(cohorts, limit);
    List<Ghost> naive = new ArrayList<>();
    int remembered = limit;
    for (int step = 0; step < 20_000; step++) {
      long fingerprint = random.nextInt(2000);
      if (random.nextInt(4) == 0) {
        int ghost = ghosts.find(fingerprint);
        Ghost known = takeOut(naive, fingerprint);
        assertThat(ghost >= 0).as("seed %d step %d", seed, step).isEqualTo(known != null);
        if (known != null) {
          assertThat(ghosts.uses(ghost)).isEqualTo(known.uses);
          cohorts.left(ghosts.cohort(ghost), 1);
          ghosts.drop(ghost);
        }
      } else {
        int uses = 1 + random.nextInt(255);
        int cohort = cohorts.open(0, step, 0);
        cohorts.join(cohort);
        ghosts.add(fingerprint, cohort, uses);
        takeOut(naive, fingerprint);
        naive.add(new Ghost(fingerprint, uses));
      }
      if (step == 15_000) {
        remembered = limit / 2;
        ghosts.limit(remembered);
      }
      while (naive.size() > remembered) {
        naive.removeFirst();
      }
      // With a large limit many enter the table together, at the latest when they are counted.
      if (limit < 1024 || random.nextInt(50) == 0) {
        assertThat(ghosts.size()).isEqualTo(naive.size());
        assertThat(cohorts.size()).isEqualTo(naive.size());
      }
    }
  }

  private record Ghost(long fingerprint, int uses) {}

  private static @Nullable Ghost takeOut(List<Ghost> naive, long fingerprint) {
    for (int i = 0; i < naive.size(); i++) {
      if (naive.get(i).fingerprint == fingerprint) {
        return naive.remove(i);
      }
    }
    return null;
  }
}
