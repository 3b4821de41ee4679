package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GhostsTest {

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "3, 7", "4, 100", "5, 700", "6, 64", "7, 65"})
  void remembersTheLastOnesInOrderOfLeaving(long seed, int limit) {
    Random random = new Random(seed);
    Cohorts cohorts = new Cohorts(new SurvivalModel(FactorSet.SIP_4, 100));
    Ghosts ghosts = new Ghosts(cohorts, limit);
    Map<Long, Integer> naive = new LinkedHashMap<>();
    int remembered = limit;
    for (int step = 0; step < 20_000; step++) {
      long fingerprint = random.nextInt(2000);
      if (random.nextInt(4) == 0) {
        int ghost = ghosts.find(fingerprint);
        Integer uses = naive.remove(fingerprint);
        assertThat(ghost >= 0).as("seed %d step %d", seed, step).isEqualTo(uses != null);
        if (uses != null) {
          assertThat(ghosts.uses(ghost)).isEqualTo(uses);
          cohorts.left(ghosts.cohort(ghost), 1);
          ghosts.drop(ghost);
        }
      } else {
        int uses = 1 + random.nextInt(255);
        int cohort = cohorts.open(0, step);
        cohorts.join(cohort);
        ghosts.add(fingerprint, cohort, uses);
        naive.remove(fingerprint);
        naive.put(fingerprint, uses);
      }
      if (step == 15_000) {
        remembered = limit / 2;
        ghosts.limit(remembered);
      }
      while (naive.size() > remembered) {
        naive.remove(naive.keySet().iterator().next());
      }
      assertThat(ghosts.size()).isEqualTo(naive.size());
      assertThat(cohorts.size()).isEqualTo(naive.size());
    }
  }
}
