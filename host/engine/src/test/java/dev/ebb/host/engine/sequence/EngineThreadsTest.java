package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.engine.pool.OutOfBlocksException;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.request.SequenceState;
import dev.ebb.host.engine.request.SequenceStateException;
import dev.ebb.spi.Demand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads with sequences of their own on one pool, too small for all, that is compacted. */
class EngineThreadsTest {

  private static final int THREADS = 4;

  @Test
  void threadsDoNotDisturbEachOthersBytes() throws Exception {
    hammer(400);
  }

  @Test
  @Tag("stress")
  void threadsDoNotDisturbEachOthersBytesForLong() throws Exception {
    hammer(40_000);
  }

  private static void hammer(int sequences) throws Exception {
    try (TestEngine test = new TestEngine(40)) {
      Threads.run(
          THREADS,
          random -> {
            for (int i = 0; i < sequences; i++) {
              serve(test, random);
            }
          },
          List.of(over -> {
            while (!over.get()) {
              test.partition.movement.betweenBatches(0, 4L * test.pool.layout().blockBytes());
              test.partition.movement.inBackground(0, 4L * test.pool.layout().blockBytes());
            }
          }));
      assertThat(test.report().traffic().finished()).isPositive();
      assertThat(test.report().traffic().matchedTokens()).isPositive();
      test.engine.locked(
          () -> test.cache.evict(Long.MAX_VALUE, Demand.Reason.MANUAL, RequestFacts.UNKNOWN));
      assertThat(test.pool.freeBlocks()).isEqualTo(test.pool.blocks());
      assertThat(test.pool.stats().pinnedBlocks()).isZero();
    }
  }

  private static void serve(TestEngine test, Random random) {
    List<Integer> tokens = Threads.prompt(random);
    SequenceRequest request =
        SequenceRequest.of(TestEngine.MODEL, Threads.ints(tokens))
            .withPriority(random.nextInt(3))
            .withMaxWait(Duration.ofMillis(random.nextInt(3)));
    try (Sequence sequence = test.engine.open(request)) {
      KvBytes.check(test.pool.layout(), sequence, "", tokens.subList(0, sequence.matchedTokens()));
      KvBytes.write(test.pool.layout(), sequence, "", tokens, sequence.matchedTokens());
      try (Sequence fork = sequence.fork()) {
        List<Integer> other = new ArrayList<>(tokens);
        grow(test, fork, other, random);
        grow(test, sequence, tokens, random);
        KvBytes.check(test.pool.layout(), fork, "", other);
        fork.finish();
      }
      KvBytes.check(test.pool.layout(), sequence, "", tokens);
      if (random.nextInt(4) > 0) {
        sequence.finish();
      }
    } catch (OutOfBlocksException full) {
      assertThat(full.report().pool().blocks()).isEqualTo(40);
    } catch (SequenceStateException preempted) {
      assertThat(preempted.state()).isEqualTo(SequenceState.PREEMPTED);
    }
  }

  private static void grow(
      TestEngine test, Sequence sequence, List<Integer> tokens, Random random) {
    for (int step = 0; step < 6; step++) {
      int token = random.nextInt(50);
      sequence.append(token);
      tokens.add(token);
      KvBytes.write(test.pool.layout(), sequence, "", tokens, tokens.size() - 1);
    }
  }
}
