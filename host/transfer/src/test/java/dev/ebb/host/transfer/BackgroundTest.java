package dev.ebb.host.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BackgroundTest {

  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  @Test
  void keepsTheRate() {
    AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    BackgroundPacer pacer = new BackgroundPacer(10_000_000, 0, clock::get);
    long start = clock.get();
    long received = 0;
    while (received < 100_000_000) {
      int part = pacer.part();
      pacer.charge(part);
      received += part;
      clock.addAndGet(Math.max(0, pacer.delay(clock.get(), clock.get())));
    }
    assertThat((clock.get() - start) / MILLI)
        .isBetween(received / 10_000 - 2, received / 10_000 + 2);
    assertThat(pacer.part()).isEqualTo(2_500_000);

    clock.addAndGet(60_000 * MILLI);
    pacer.charge(1_000_000);
    assertThat(pacer.delay(clock.get(), clock.get()) / MILLI).isEqualTo(100);

    pacer.rate(0);
    assertThat(pacer.delay(clock.get(), clock.get())).isNotPositive();
  }

  @Test
  void waitsForReadsUpToALimit() {
    AtomicLong clock = new AtomicLong();
    BackgroundPacer pacer = new BackgroundPacer(0, 100 * MILLI, clock::get);
    pacer.readStarted();
    pacer.readStarted();
    assertThat(pacer.delay(0, 0)).isEqualTo(100 * MILLI);
    assertThat(pacer.delay(99 * MILLI, 0)).isEqualTo(MILLI);
    assertThat(pacer.delay(101 * MILLI, 0)).isNotPositive();
    pacer.readEnded();
    assertThat(pacer.delay(0, 0)).isPositive();
    pacer.readEnded();
    assertThat(pacer.delay(0, 0)).isNotPositive();
  }

  /** Small values of a replica would otherwise wait for longer than they take, each of them. */
  @Test
  void endlessReadsDelayPartsForHalfOfTheTimeAtMost() {
    AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 5);
    BackgroundPacer pacer = new BackgroundPacer(0, 100 * MILLI, clock::get);
    long start = clock.get();
    pacer.readStarted();
    for (int part = 0; part < 1_000; part++) {
      long since = clock.get();
      clock.addAndGet(Math.max(0, pacer.delay(since, since)));
      pacer.started(clock.get(), since);
      clock.addAndGet(MILLI);
    }
    assertThat((clock.get() - start) / MILLI).isBetween(1_000L, 2_100L);
  }

  @Test
  void startsAfterTheReadsInProgress() throws Exception {
    TransferOptions patient = TransferNode.OPTIONS.withBackground(0, Duration.ofHours(1));
    try (TransferNode node = new TransferNode(patient);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      node.values.put("key", 7, 10_000_000);
      List<String> events = new CopyOnWriteArrayList<>();
      CountDownLatch reading = new CountDownLatch(1);
      CountDownLatch end = new CountDownLatch(1);
      Future<FetchResult> read =
          threads.submit(() ->
              node.fetch(
                  "key",
                  TransferNode.READ,
                  new ReceivedValue() {
                    @Override
                    public boolean begin(ValueHeader header) {
                      reading.countDown();
                      try {
                        end.await();
                      } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                      }
                      events.add("read");
                      return super.begin(header);
                    }
                  }));
      reading.await();
      Future<FetchResult> background =
          threads.submit(() ->
              node.fetch(
                  "key",
                  FetchOptions.BACKGROUND,
                  new ReceivedValue() {
                    @Override
                    public boolean begin(ValueHeader header) {
                      events.add("background");
                      return super.begin(header);
                    }
                  }));
      Awaiting.until(() -> node.client.pacer.waiting() == 1);
      end.countDown();

      assertThat(read.get().complete()).isTrue();
      assertThat(background.get().complete()).isTrue();
      assertThat(events).containsExactly("read", "background");
      assertThat(node.client.counters.backgroundBytes.sum()).isEqualTo(10_000_000);
    }
  }

  @Test
  void paysForEachPartBeforeTheNext() throws Exception {
    TransferOptions slow = TransferNode.OPTIONS.withBackground(1_000_000, Duration.ZERO);
    try (TransferNode node = new TransferNode(slow);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      SentValues.Sent sent = node.values.put("key", 7, 30_000_000);
      ReceivedValue received = new ReceivedValue();
      Future<FetchResult> fetch =
          threads.submit(() -> node.fetch("key", FetchOptions.BACKGROUND, received));
      Awaiting.until(() -> node.client.pacer.waiting() == 1);

      assertThat(node.client.counters.backgroundBytes.sum())
          .isLessThanOrEqualTo(2L * node.client.pacer.part());
      node.client.pacer.rate(0);
      assertThat(fetch.get().complete()).isTrue();
      assertThat(received.bytes).isEqualTo(sent.bytes());
    }
  }
}
