package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.testing.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The order in which waiting sequences are opened. */
class OpenOrderTest {

  private static final int WAITERS = 12;

  /** 4 blocks of 4 tokens. */
  private final TestEngine engine = new TestEngine(4);

  private final List<Integer> order = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void close() {
    engine.close();
  }

  private static SequenceRequest request(int number, int priority, int tokens) {
    int[] ids = new int[tokens];
    for (int i = 0; i < tokens; i++) {
      ids[i] = 1_000 * (number + 1) + i;
    }
    return SequenceRequest.of(TestEngine.MODEL, ids)
        .withPriority(priority)
        .withMaxWait(Duration.ofMinutes(5));
  }

  /** Opens a sequence that needs so many tokens, notes it, and aborts it. */
  private void openAndAbort(int number, int priority, int tokens) {
    Sequence opened = engine.engine.open(request(number, priority, tokens));
    order.add(number);
    opened.abort();
  }

  private void awaitWaiting(long count) {
    Awaiting.until(
        () -> engine.engine.locked(() -> engine.partition.reclaimer.counters().waits()) == count);
  }

  @Test
  void sequencesOpenInTheOrderInWhichTheyBeganToWait() throws Exception {
    Sequence all = engine.engine.open(request(100, 1, 16));
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> waiting = new ArrayList<>();
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < WAITERS; i++) {
        int number = i;
        // The later ones need less, and would fit first.
        int tokens = i < WAITERS / 2 ? 16 : 12;
        waiting.add(threads.submit(() -> openAndAbort(number, 1, tokens)));
        awaitWaiting(i + 1);
        expected.add(i);
      }
      all.abort();
      for (Future<?> each : waiting) {
        each.get();
      }
      assertThat(order).isEqualTo(expected);
    }
  }

  @Test
  void theMoreImportantSequenceOpensFirst() throws Exception {
    Sequence all = engine.engine.open(request(100, 5, 16));
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> waiting = new ArrayList<>();
      int[] priorities = {1, 0, 2, 1, 2};
      for (int i = 0; i < priorities.length; i++) {
        int number = i;
        waiting.add(threads.submit(() -> openAndAbort(number, priorities[number], 16)));
        awaitWaiting(i + 1);
      }
      all.abort();
      for (Future<?> each : waiting) {
        each.get();
      }
      assertThat(order).containsExactly(2, 4, 0, 3, 1);
    }
  }
}
