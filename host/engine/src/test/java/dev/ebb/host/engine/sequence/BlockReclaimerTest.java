package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.host.engine.stats.ReclaimCounters;
import dev.ebb.host.pool.Placement;
import dev.ebb.host.testing.Awaiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BlockReclaimerTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  @Test
  void cachedBlocksLeaveBeforeAnySequenceDoes() {
    try (TestEngine test = new TestEngine(4)) {
      test.open(1, 1, 1, 1, 2, 2, 2, 2).finish();
      Sequence low = test.openWith(0, 3);
      Sequence high = test.openWith(2, 4, 4, 4, 4, 5, 5, 5, 5);

      assertThat(low.state()).isEqualTo(SequenceState.OPEN);
      assertThat(high.blockTable()).hasSize(2);
      assertThat(test.report().reclaim()).isEqualTo(new ReclaimCounters(0, 1, 0, 0, 0));
    }
  }

  @Test
  void whatTheWholePoolCannotHoldIsRefusedAndEvictsNothing() {
    try (TestEngine test = new TestEngine(4)) {
      test.open(1, 1, 1, 1).finish();
      Sequence sequence = test.open(2, 2, 2, 2);

      assertThatThrownBy(() -> sequence.append(new int[13]))
          .isInstanceOf(OutOfBlocksException.class)
          .hasMessageEndingWith("; open a shorter sequence, or enlarge ebb.pool.size");
      assertThat(test.report().cachedBlocks()).isOne();
    }
  }

  @Test
  void theLeastImportantAndYoungestGivesWay() {
    try (TestEngine test = new TestEngine(4)) {
      Sequence older = test.openWith(0, 1);
      Sequence younger = test.openWith(0, 2);
      Sequence normal = test.openWith(1, 3);
      Sequence equal = test.openWith(2, 4);

      Sequence high = test.openWith(2, 5);

      assertThat(younger.state()).isEqualTo(SequenceState.PREEMPTED);
      assertThat(older.state()).isEqualTo(SequenceState.OPEN);
      assertThat(normal.state()).isEqualTo(SequenceState.OPEN);
      assertThat(equal.state()).isEqualTo(SequenceState.OPEN);
      assertThatThrownBy(() -> younger.append(1))
          .isInstanceOf(SequenceStateException.class)
          .hasMessage("sequence '2' was preempted by sequence 5 of priority '2'; open it again");
      assertThat(high.length()).isOne();
      assertThat(test.report().reclaim()).isEqualTo(new ReclaimCounters(0, 0, 1, 0, 0));
    }
  }

  @Test
  void noSequenceIsPreemptedForNothing() {
    try (TestEngine test = new TestEngine(4)) {
      Sequence low = test.openWith(0, 1);
      Sequence equal = test.openWith(2, 1, 2, 3, 4, 5, 6, 7, 8, 9);

      assertThatThrownBy(() -> test.openWith(2, 8, 8, 8, 8, 8))
          .isInstanceOf(OutOfBlocksException.class);
      assertThat(low.state()).isEqualTo(SequenceState.OPEN);
      assertThat(equal.state()).isEqualTo(SequenceState.OPEN);
    }
  }

  @Test
  void aSequenceInUseIsNotPreempted() {
    try (TestEngine test = new TestEngine(2)) {
      Sequence low = test.openWith(0, 1, 2, 3, 4, 5);
      try (KvAccess access = low.access()) {
        assertThatThrownBy(() -> test.openWith(2, 1)).isInstanceOf(OutOfBlocksException.class);
        assertThat(access.pages()).isEqualTo(2);
      }
      assertThat(test.openWith(2, 1).length()).isOne();
      assertThat(low.state()).isEqualTo(SequenceState.PREEMPTED);
    }
  }

  @Test
  void aRefusalNamesWhoHoldsTheMemory() {
    try (TestEngine test = new TestEngine(6)) {
      test.open(9, 9, 9, 9).finish();
      test.engine.open(SequenceRequest.of(TestEngine.MODEL, 9, 9, 9, 9, 1).withTenant("acme"));
      test.engine.open(
          SequenceRequest.of(TestEngine.MODEL, 2).withMaxLength(12).reserving(Placement.SCATTERED));

      assertThatThrownBy(() -> test.open(1, 2, 3, 4, 5))
          .isInstanceOfSatisfying(
              OutOfBlocksException.class,
              refused -> assertThat(refused.report().sequences()).hasSize(3))
          .hasMessage(
              "'sequence 4' needs '2' more blocks on host: 1 of 6 are free, 1 cached and not"
                  + " evictable; sequence 3 (priority 1) has 1 and 2 reserved; sequence 2 (priority"
                  + " 1, tenant 'acme') has 1, and pins 1 cached; finish or abort sequences, raise"
                  + " the priority, allow a wait or enlarge ebb.pool.size");
      assertThat(test.report().reclaim().refusals()).isOne();
      assertThat(test.report().sequences()).hasSize(2);
    }
  }

  @Test
  void aFailedAppendLeavesTheSequenceAsItWas() {
    try (TestEngine test = new TestEngine(2)) {
      Sequence sequence = test.open(1, 2, 3);
      assertThatThrownBy(() -> sequence.append(new int[9]))
          .isInstanceOf(OutOfBlocksException.class);
      assertThat(sequence.length()).isEqualTo(3);
      sequence.append(4, 5);
      sequence.finish();
      assertThat(test.open(1, 2, 3, 4).matchedTokens()).isEqualTo(4);
    }
  }

  @Test
  void aWaitEndsWhenASequenceFinishes() throws Exception {
    try (TestEngine test = new TestEngine(2);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Sequence first = test.open(1, 2, 3, 4, 5);
      Future<Sequence> second =
          threads.submit(
              () -> test.engine.open(SequenceRequest.of(TestEngine.MODEL, 6).withMaxWait(LONG)));
      Awaiting.until(() -> test.report().reclaim().waits() != 0);
      first.finish();

      assertThat(second.get(60, TimeUnit.SECONDS).length()).isOne();
      assertThat(test.report().reclaim().refusals()).isZero();
    }
  }

  @Test
  void ofSequencesThatWaitForEachOtherTheYoungestGivesWay() throws Exception {
    try (TestEngine test = new TestEngine(6);
        ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Sequence> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        int[] tokens = {i, 1, 2, 3, 4, 5, 6, 7};
        all.add(test.engine.open(SequenceRequest.of(TestEngine.MODEL, tokens).withMaxWait(LONG)));
      }

      List<Future<?>> appends = new ArrayList<>();
      for (Sequence each : all) {
        appends.add(threads.submit(() -> each.append(9)));
      }

      appends.get(0).get(30, TimeUnit.SECONDS);
      appends.get(1).get(30, TimeUnit.SECONDS);
      assertThatThrownBy(() -> appends.get(2).get(30, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(SequenceStateException.class)
          .hasRootCauseMessage(
              "sequence '3' was preempted by another one, because all sequences waited for memory;"
                  + " open it again");
      assertThat(all).extracting(Sequence::length).containsExactly(9, 9, 8);
      assertThat(test.report().reclaim().preemptions()).isOne();
    }
  }

  @Test
  void aSequenceWaitsWhileOneThatDoesNotWaitHoldsBlocks() throws Exception {
    try (TestEngine test = new TestEngine(4);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Sequence busy = test.open(1, 2, 3, 4, 5);
      Sequence waiting =
          test.engine.open(SequenceRequest.of(TestEngine.MODEL, 6, 7, 8, 9, 1).withMaxWait(LONG));
      Future<?> append = threads.submit(() -> waiting.append(2, 3, 4, 5));
      Awaiting.until(() -> test.report().reclaim().waits() != 0);

      assertThat(test.report().reclaim().preemptions()).isZero();
      busy.abort();

      append.get(60, TimeUnit.SECONDS);
      assertThat(waiting.length()).isEqualTo(9);
    }
  }

  @Test
  void aWaitEndsWithTheLimitOrAnInterrupt() throws Exception {
    try (TestEngine test = new TestEngine(2);
        ExecutorService threads = Executors.newSingleThreadExecutor()) {
      Sequence first = test.open(1, 2, 3, 4, 5);
      assertThatThrownBy(() ->
              test.engine.open(
                  SequenceRequest.of(TestEngine.MODEL, 6).withMaxWait(Duration.ofMillis(5))))
          .isInstanceOf(OutOfBlocksException.class)
          .hasMessageContaining("waited '5' ms");

      CountDownLatch refused = new CountDownLatch(1);
      Future<?> waiting =
          threads.submit(() -> {
            assertThatThrownBy(() ->
                    test.engine.open(SequenceRequest.of(TestEngine.MODEL, 6).withMaxWait(LONG)))
                .isInstanceOf(OutOfBlocksException.class);
            refused.countDown();
          });
      Awaiting.until(() -> test.report().reclaim().waits() >= 2);
      threads.shutdownNow();
      assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
      waiting.get();
      first.close();
    }
  }

  @Test
  void noCallWaitsWhereWaitingIsNoUse() {
    try (TestEngine test = new TestEngine(2)) {
      Sequence other = test.open(1);
      assertThatThrownBy(() ->
              test.engine.open(SequenceRequest.of(TestEngine.MODEL, new int[20]).withMaxWait(LONG)))
          .isInstanceOf(OutOfBlocksException.class);
      other.abort();
      assertThat(test.report().reclaim().waits()).isZero();
    }
  }

  @Test
  void aRunIsMadeByCompaction() {
    try (TestEngine test = new TestEngine(16)) {
      Sequence[] all = new Sequence[16];
      for (int i = 0; i < 16; i++) {
        all[i] = test.open(i, i, i, i);
      }
      for (int i = 0; i < 16; i++) {
        if (i % 2 == 0) {
          all[i].finish();
        } else {
          all[i].abort();
        }
      }
      Sequence contiguous = test.engine.open(run(6));
      contiguous.append(new int[23]);
      int[] table = contiguous.blockTable();
      for (int i = 1; i < table.length; i++) {
        assertThat(table[i]).isEqualTo(table[0] + i);
      }
      assertThat(table).hasSize(6);
      assertThat(test.report().reclaim().compactions()).isPositive();
      assertThat(test.report().reclaim().evictedEntries()).isZero();
      assertThat(test.open(4, 4, 4, 4).matchedTokens()).isEqualTo(4);
    }
  }

  private static SequenceRequest run(int blocks) {
    return SequenceRequest.of(TestEngine.MODEL, 99)
        .withMaxLength(blocks * TestEngine.BLOCK_TOKENS)
        .reserving(Placement.CONTIGUOUS);
  }

  @Test
  void reservedBlocksAreThereWhateverHappens() {
    try (TestEngine test = new TestEngine(8)) {
      Sequence reserved =
          test.engine.open(
              SequenceRequest.of(TestEngine.MODEL, 1)
                  .withMaxLength(16)
                  .reserving(Placement.SCATTERED));
      assertThat(test.report().reservedBlocks()).isEqualTo(3);
      test.open(5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8);
      assertThat(test.pool.freeBlocks()).isZero();
      reserved.append(new int[15]);
      assertThat(test.report().reservedBlocks()).isZero();
      assertThatThrownBy(() -> reserved.append(1)).isInstanceOf(OutOfBlocksException.class);
      reserved.finish();
      assertThatThrownBy(
              () -> SequenceRequest.of(TestEngine.MODEL, 1).reserving(Placement.SCATTERED))
          .hasMessageContaining("withMaxLength");
    }
  }

  @Test
  void withoutEvictionAFullCacheRefuses() {
    try (TestEngine test = new TestEngine(2)) {
      test.engine.locked(() -> {
        test.cache.install(NoEviction.NAME, new NoEviction());
        return true;
      });
      test.open(1, 2, 3, 4, 5, 6, 7, 8).finish();
      assertThatThrownBy(() -> test.open(9)).isInstanceOf(OutOfBlocksException.class);
      assertThat(test.open(1, 2, 3, 4).matchedTokens()).isEqualTo(4);
    }
  }
}
