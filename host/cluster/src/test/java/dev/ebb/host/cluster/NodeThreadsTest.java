package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class NodeThreadsTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void waitsForItsThreads() throws Exception {
    AtomicInteger ended = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(3);
    NodeThreads threads = new NodeThreads();
    for (int i = 0; i < 3; i++) {
      threads.start(
          "waiting-" + i,
          () -> {
            started.countDown();
            try {
              Thread.sleep(Long.MAX_VALUE);
            } finally {
              LockSupport.parkNanos(1_000_000);
              ended.incrementAndGet();
            }
          });
    }
    started.await();

    threads.close();

    assertThat(ended).hasValue(3);
  }

  @Test
  void interruptsWhatStartsLater() throws Exception {
    NodeThreads threads = new NodeThreads();
    threads.close();

    Thread late = threads.start("late", () -> Thread.sleep(Long.MAX_VALUE));

    assertThat(late.join(LONG)).isTrue();
  }

  @Test
  void endsWhatStartsMeanwhile() throws Exception {
    for (int i = 0; i < 200; i++) {
      NodeThreads threads = new NodeThreads();
      List<Thread> started = new ArrayList<>();
      Thread starter =
          Thread.startVirtualThread(() -> {
            for (int each = 0; each < 20; each++) {
              started.add(threads.start("each", () -> Thread.sleep(Long.MAX_VALUE)));
            }
          });
      threads.close();
      starter.join();

      for (Thread thread : started) {
        assertThat(thread.join(LONG)).isTrue();
      }
    }
  }
}
