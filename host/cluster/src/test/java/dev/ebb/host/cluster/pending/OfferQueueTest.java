package dev.ebb.host.cluster.pending;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OfferQueueTest {

  private final OfferQueue<Integer> queue = new OfferQueue<>(100);

  @Test
  void newOffersDoNotWaitForOldOnes() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertThat(queue.offer(i, false)).isTrue();
    }
    assertThat(queue.offer(1_000, true)).isTrue();
    assertThat(queue.offer(1_001, true)).isTrue();

    assertThat(queue.take(false)).isEqualTo(1_000);
    assertThat(queue.take(true)).isZero();
    assertThat(queue.take(false)).isEqualTo(1_001);
    List<Integer> rest = new ArrayList<>();
    for (int i = 1; i < 100; i++) {
      rest.add(queue.take(false));
    }
    assertThat(rest).isSorted().hasSize(99);
  }

  @Test
  void aFullQueueTakesOffersOfTheOtherKind() {
    for (int i = 0; i < 100; i++) {
      assertThat(queue.offer(i, false)).isTrue();
    }
    assertThat(queue.offer(100, false)).isFalse();
    assertThat(queue.offer(101, true)).isTrue();
  }
}
