package dev.ebb.host.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

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
    assertThat(preemption.prefers(Sequence.of(0, 0, 2), Sequence.of(0, 0, 1))).isTrue();
    assertThat(preemption.prefers(Sequence.of(0, 0, 1), Sequence.of(0, 0, 2))).isFalse();
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
      assertThat(preemption.prefers(Sequence.of(0, 5, 1), Sequence.of(1, 0, 2))).isTrue();
    }
    assertThat(faults).hasSize(1);
    assertThat(preemption.fault()).contains("full moon");
  }

  @Test
  void rulesHaveTheNamesOfTheConfiguration() {
    assertThat(PreemptionRules.of("least-progress")).contains(PreemptionRules.LEAST_PROGRESS);
    assertThat(PreemptionRules.of("LEAST_PROGRESS")).isEmpty();
    assertThat(PreemptionRules.CHEAPEST_TO_RECOMPUTE.id()).isEqualTo("cheapest-to-recompute");
  }
}
