package dev.ebb.host.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

  @Test
  void refusesWhatIsAboveItsLimit() {
    MemoryBudget budget = MemoryBudget.of(100);
    assertThat(budget.tryUse(60)).isTrue();
    assertThat(budget.tryUse(41)).isFalse();
    assertThat(budget.usedBytes()).isEqualTo(60);
    budget.free(20);
    assertThat(budget.tryUse(60)).isTrue();
    assertThat(budget.usedBytes()).isEqualTo(100);
  }

  @Test
  void usesOfAPartCountInTheWhole() {
    MemoryBudget whole = MemoryBudget.of(100);
    MemoryBudget part = whole.part(50);
    assertThat(part.tryUse(51)).isFalse();
    assertThat(part.tryUse(50)).isTrue();
    assertThat(whole.usedBytes()).isEqualTo(50);
    part.free(50);
    assertThat(whole.use(80)).isTrue();
    assertThat(part.tryUse(30)).isFalse();
    assertThat(part.usedBytes()).isZero();
    assertThat(whole.usedBytes()).isEqualTo(80);
    assertThat(part.use(30)).isFalse();
    assertThat(whole.usedBytes()).isEqualTo(110);
  }

  @Test
  void manyThreadsNeverUseMore() throws InterruptedException {
    MemoryBudget whole = MemoryBudget.of(1_000);
    MemoryBudget part = whole.part(700);
    AtomicInteger granted = new AtomicInteger();
    List<Thread> threads =
        Stream.of(whole, part, whole, part)
            .map(budget ->
                Thread.ofPlatform()
                    .start(() -> {
                      for (int i = 0; i < 5_000; i++) {
                        granted.addAndGet(budget.tryUse(1) ? 1 : 0);
                      }
                    }))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(granted).hasValue(1_000);
    assertThat(whole.usedBytes()).isEqualTo(1_000);
    assertThat(part.usedBytes()).isLessThanOrEqualTo(700);
  }
}
