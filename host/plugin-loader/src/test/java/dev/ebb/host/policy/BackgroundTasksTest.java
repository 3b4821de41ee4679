package dev.ebb.host.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.plugin.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BackgroundTasksTest {

  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger leases = new AtomicInteger();
  private final List<Object> handedBack = new ArrayList<>();
  private final BackgroundTasks tasks = new BackgroundTasks("lrb", false, this::lease);
  private final BackgroundTasks inReplay = new BackgroundTasks("lrb", true, this::lease);

  private Lease lease() {
    leases.incrementAndGet();
    return leases::decrementAndGet;
  }

  @AfterEach
  void end() {
    over.countDown();
  }

  @Test
  void aResultIsHandedBackOnTheCallersThreadBetweenEvents() {
    assertThat(tasks.submit(Thread::currentThread, ran -> handedBack.addAll(pair(ran)))).isTrue();
    awaitResult();

    assertThat((Thread) handedBack.getFirst())
        .matches(thread -> thread.getName().equals("ebb-background-lrb") && thread.isDaemon());
    assertThat(handedBack.getLast()).isSameAs(Thread.currentThread());
  }

  private static List<Thread> pair(Thread ran) {
    return List.of(ran, Thread.currentThread());
  }

  @Test
  void oneTaskRunsAtATime() {
    assertThat(tasks.submit(this::untilOver, handedBack::add)).isTrue();

    assertThat(tasks.submit(() -> "second", handedBack::add)).isFalse();
    over.countDown();
    awaitResult();
    assertThat(handedBack).containsExactly("first");
    assertThat(tasks.submit(() -> "second", handedBack::add)).isTrue();
  }

  @Test
  void aReplayRunsATaskAfterAFixedNumberOfEvents() {
    AtomicInteger runs = new AtomicInteger();
    for (int round = 1; round <= 3; round++) {
      assertThat(inReplay.submit(runs::incrementAndGet, handedBack::add)).isTrue();
      for (int event = 1; event < BackgroundTasks.EVENTS; event++) {
        inReplay.betweenEvents();
      }
      assertThat(runs).hasValue(round - 1);
      inReplay.betweenEvents();
      assertThat(handedBack).hasSize(round).last().isEqualTo(round);
    }
    assertThat(leases).hasValue(0);
  }

  @Test
  void afterATaskThatThrowsTheNextOneRuns() {
    assertThat(tasks.submit(BackgroundTasksTest::fail, handedBack::add)).isTrue();
    await(() -> tasks.submit(() -> "next", handedBack::add));
    awaitResult();

    assertThat(handedBack).containsExactly("next");
  }

  @Test
  void inAReplayATaskThatThrowsFailsThePolicy() {
    inReplay.submit(BackgroundTasksTest::fail, handedBack::add);

    assertThatThrownBy(
            () -> {
              for (int event = 0; event < BackgroundTasks.EVENTS; event++) {
                inReplay.betweenEvents();
              }
            })
        .hasMessageContaining("background task failed")
        .hasMessageContaining("too few samples")
        .hasNoCause();
  }

  @Test
  void aResultOfNullIsAFailure() {
    inReplay.submit(() -> null, handedBack::add);

    assertThatThrownBy(
            () -> {
              for (int event = 0; event < BackgroundTasks.EVENTS; event++) {
                inReplay.betweenEvents();
              }
            })
        .hasMessageContaining("the task returned null");
  }

  @Test
  void aTaskIsInterruptedAtTheEndAndGivesItsLeaseBack() {
    CountDownLatch never = new CountDownLatch(1);
    tasks.submit(
        () -> {
          never.await();
          return "";
        },
        handedBack::add);
    assertThat(leases).hasValue(1);
    tasks.close();

    await(() -> leases.get() == 0);
    tasks.betweenEvents();
    assertThat(handedBack).isEmpty();
    assertThat(tasks.submit(() -> "late", handedBack::add)).isFalse();
  }

  @Test
  void aTaskThatIgnoresTheInterruptIsAbandonedAndKeepsItsPluginLoaded() {
    tasks.submit(this::untilOver, handedBack::add);
    tasks.close();

    assertThat(leases).hasValue(1);
    assertThat(Thread.getAllStackTraces().keySet())
        .anyMatch(thread -> thread.getName().equals("ebb-background-abandoned-lrb"));
    over.countDown();
    await(() -> leases.get() == 0);
    tasks.betweenEvents();
    assertThat(handedBack).isEmpty();
  }

  private String untilOver() {
    while (true) {
      try {
        over.await();
        return "first";
      } catch (InterruptedException ignored) {
        // As a hostile task does.
      }
    }
  }

  private static String fail() {
    throw new IllegalStateException("too few samples");
  }

  private void awaitResult() {
    await(() -> {
      tasks.betweenEvents();
      return !handedBack.isEmpty();
    });
  }

  private interface Condition {
    boolean holds();
  }

  private void await(Condition condition) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.holds()) {
      tasks.betweenEvents();
      assertThat(System.nanoTime()).as("waited in vain").isLessThan(deadline);
      LockSupport.parkNanos(100_000);
    }
  }
}
