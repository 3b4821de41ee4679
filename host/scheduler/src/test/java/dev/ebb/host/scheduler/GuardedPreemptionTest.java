package dev.ebb.host.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.PreemptionPolicy;
import dev.ebb.spi.RunningSequence;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GuardedPreemptionTest {

  private record Sequence(
      int priority,
      @Nullable String tenant,
      int promptTokens,
      int outputTokens,
      int computedTokens,
      int cachedTokens,
      long admission)
      implements RunningSequence {

    static Sequence of(int priority, int outputTokens, long admission) {
      return new Sequence(priority, null, 10, outputTokens, 10 + outputTokens, 0, admission);
    }
  }

  @Test
  void theLastAdmittedOfEqualsIsPreempted() {
    List<String> faults = new ArrayList<>();
    GuardedPreemption preemption = new GuardedPreemption((first, second) -> 0, faults::add);
    Sequence last = Sequence.of(0, 0, 2);
    assertThat(preemption.select(List.of(last, Sequence.of(0, 0, 1)), 1)).isSameAs(last);
    assertThat(preemption.select(List.of(Sequence.of(0, 0, 1), last), 1)).isSameAs(last);
    assertThat(faults).isEmpty();
    assertThat(preemption.fault()).isNull();
  }

  @Test
  void aPolicyThatThrowsIsAskedOnce() {
    List<String> faults = new ArrayList<>();
    GuardedPreemption preemption =
        new GuardedPreemption(
            (first, second) -> {
              throw new IllegalStateException("full moon");
            },
            faults::add);
    for (int i = 0; i < 3; i++) {
      Sequence least = Sequence.of(0, 5, 1);
      assertThat(preemption.select(List.of(Sequence.of(1, 0, 2), least), 1)).isSameAs(least);
    }
    assertThat(faults).hasSize(1);
    assertThat(preemption.fault()).contains("full moon");
  }

  /** Preempts the sequence whose memory is the least that suffices. */
  private static final class BestFit implements PreemptionPolicy {
    private final List<Long> needs = new ArrayList<>();

    @Override
    public int compare(RunningSequence first, RunningSequence second) {
      throw new AssertionError("select() was overridden");
    }

    @Override
    public int select(List<? extends RunningSequence> candidates, long neededTokens) {
      needs.add(neededTokens);
      int best = -1;
      for (int i = 0; i < candidates.size(); i++) {
        long freed = candidates.get(i).computedTokens();
        if (freed >= neededTokens && (best < 0 || freed < candidates.get(best).computedTokens())) {
          best = i;
        }
      }
      return best;
    }
  }

  @Test
  void aPolicyMaySeeAllCandidates() {
    BestFit policy = new BestFit();
    List<String> faults = new ArrayList<>();
    GuardedPreemption preemption = new GuardedPreemption(policy, faults::add);
    List<Sequence> candidates =
        List.of(Sequence.of(0, 30, 1), Sequence.of(0, 5, 2), Sequence.of(0, 12, 3));

    assertThat(preemption.select(candidates, 20)).isSameAs(candidates.get(2));
    assertThat(preemption.select(candidates, 0)).isSameAs(candidates.get(1));
    assertThat(policy.needs).containsExactly(20L, 1L);
    assertThat(faults).isEmpty();

    // No candidate suffices, so it returns -1.
    assertThat(preemption.select(candidates, 100)).isSameAs(candidates.get(2));
    assertThat(faults).singleElement().asString().contains("'-1' for 3 candidates");
  }

  @Test
  void rulesHaveTheNamesOfTheConfiguration() {
    assertThat(PreemptionRules.of("least-progress")).contains(PreemptionRules.LEAST_PROGRESS);
    assertThat(PreemptionRules.of("LEAST_PROGRESS")).isEmpty();
    assertThat(PreemptionRules.CHEAPEST_TO_RECOMPUTE.id()).isEqualTo("cheapest-to-recompute");
  }
}
