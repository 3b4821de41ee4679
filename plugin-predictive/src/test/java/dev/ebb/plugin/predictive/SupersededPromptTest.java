package dev.ebb.plugin.predictive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SupersededPromptTest {

  private final Cohorts cohorts = new Cohorts(new SurvivalModel(FactorSet.SIP_7, 100));
  private final SupersededPrompt superseded = new SupersededPrompt(cohorts);

  @ParameterizedTest
  @CsvSource({"9, true", "6, true", "5, true", "4, false", "1, false"})
  void whatIsLeftIsSupersededIfHalfOfThePromptIsUsedAgain(int known, boolean expected) {
    List<Integer> before = prompt(1, 10);
    List<Integer> other = prompt(2, 10);
    reuse(before, known);
    for (int cohort : before.subList(known, 10)) {
      assertThat(BlockClass.isSuperseded(cohorts.blockClass(cohort))).isEqualTo(expected);
    }
    for (int cohort : other) {
      assertThat(BlockClass.isSuperseded(cohorts.blockClass(cohort))).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void findsAllCohortsOfARequest(long seed) {
    Random random = new Random(seed);
    List<List<Integer>> prompts = new ArrayList<>();
    for (int request = 1; request <= 2000; request++) {
      prompts.add(new ArrayList<>(prompt(request, 1 + random.nextInt(12))));
      List<Integer> touched = prompts.get(random.nextInt(prompts.size()));
      cohorts.left(touched.remove(random.nextInt(touched.size())), 1);
      prompts.removeIf(List::isEmpty);
      List<Integer> checked = prompts.get(random.nextInt(prompts.size()));
      List<Integer> found = new ArrayList<>();
      for (int part = cohorts.firstOfRequest(checked.getLast());
          part != Cohorts.NONE;
          part = cohorts.nextOfRequest(part)) {
        found.add(part);
      }
      assertThat(found).isEqualTo(checked.stream().distinct().toList());
    }
  }

  /** Returns the cohort of each block, of which two in a row share one. */
  private List<Integer> prompt(int request, int blocks) {
    List<Integer> result = new ArrayList<>();
    for (int i = 0; i < blocks; i++) {
      int cohort = i % 2 == 0 ? cohorts.open(i, 1, request) : result.getLast();
      cohorts.join(cohort);
      result.add(cohort);
    }
    return result;
  }

  private void reuse(List<Integer> prompt, int known) {
    superseded.clear();
    for (int i = known - 1; i >= 0; i--) {
      if (i == known - 1) {
        superseded.uses(prompt.get(i));
      }
      cohorts.left(prompt.get(i), 1);
    }
    superseded.mark(known);
  }
}
