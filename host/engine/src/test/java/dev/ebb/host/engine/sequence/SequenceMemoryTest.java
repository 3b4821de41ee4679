package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.engine.request.SequenceEnd;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.MemoryPressure;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerMemory;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.SchedulingState;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SequenceMemoryTest {

  /** 8 blocks of 4 tokens. */
  private final TestEngine engine = new TestEngine(8);

  private final SequenceMemory<ScheduledSequence> memory = new SequenceMemory<>(engine.engine);
  private final Scheduler<ScheduledSequence> scheduler =
      new Scheduler<>(
          SchedulerOptions.DEFAULTS, memory, PreemptionRules.LOWEST_PRIORITY, request -> {});
  private long now;

  @AfterEach
  void close() {
    engine.close();
  }

  private ScheduledRequest<ScheduledSequence> submit(int priority, int output, int... tokens) {
    SequenceRequest prompt = SequenceRequest.of(TestEngine.MODEL, tokens).withPriority(priority);
    return scheduler.submit(
        new Submission<>(new ScheduledSequence(prompt), tokens.length, output, priority, null),
        now);
  }

  private void step() {
    Batch<ScheduledSequence> batch = scheduler.step(++now);
    for (int i = 0; i < batch.size(); i++) {
      if (batch.samples(i)) {
        batch.request(i).payload().generated(100);
      }
    }
    scheduler.completed(now);
  }

  private static int[] tokens(int count, int first) {
    int[] tokens = new int[count];
    for (int i = 0; i < count; i++) {
      tokens[i] = first + i;
    }
    return tokens;
  }

  @Test
  void thePressureIsThatOfTheCache() {
    assertThat(memory.pressure()).isEqualTo(new MemoryPressure(0, 0, 0));
    ScheduledRequest<ScheduledSequence> first = submit(1, 9, tokens(16, 0));
    step();
    assertThat(engine.engine.requests.waiting()).isEqualTo(1);
    assertThat(memory.pressure().occupancy()).isEqualTo(0.5);
    scheduler.cancel(first);
    assertThat(memory.pressure().occupancy()).isZero();
    submit(1, 1, tokens(32, 50));
    step();
    assertThat(memory.pressure().evictions()).isEqualTo(4);
    assertThat(memory.pressure().requestedAgain()).isZero();
    submit(1, 1, tokens(16, 0));
    step();
    assertThat(memory.pressure().requestedAgain()).isEqualTo(4);
  }

  @Test
  void theShortageCountsNeitherMatchedNorEvictableTokens() {
    assertThat(memory.capacityTokens()).isEqualTo(32);
    ScheduledRequest<ScheduledSequence> first = submit(1, 9, tokens(16, 0));
    step();
    assertThat(memory.held(first)).isEqualTo(16);
    ScheduledRequest<ScheduledSequence> other = submit(1, 1, tokens(20, 50));
    assertThat(memory.shortage(other)).isEqualTo(4);
    assertThat(memory.admit(other)).isEqualTo(SchedulerMemory.NO_ROOM);
    scheduler.cancel(first);
    assertThat(memory.shortage(other)).isZero();
    ScheduledRequest<ScheduledSequence> same = submit(1, 1, tokens(32, 0));
    scheduler.cancel(other);
    step();
    assertThat(same.matchedTokens()).isEqualTo(16);
    assertThat(same.endReason()).isEqualTo(EndReason.FINISHED);
  }

  @Test
  void matchedTokensAreHeldOnceByAllThatUseThem() {
    ScheduledRequest<ScheduledSequence> first = submit(1, 1, tokens(8, 0));
    step();
    assertThat(first.endReason()).isEqualTo(EndReason.FINISHED);
    ScheduledRequest<ScheduledSequence> one = submit(1, 9, tokens(9, 0));
    step();
    assertThat(memory.held(one)).isEqualTo(12);
    ScheduledRequest<ScheduledSequence> two = submit(1, 9, tokens(10, 0));
    step();
    assertThat(two.matchedTokens()).isEqualTo(8);
    assertThat(memory.held(one)).isEqualTo(4);
    assertThat(memory.held(two)).isEqualTo(4);
  }

  @Test
  void aMoreUrgentRequestPreemptsAndTheOtherMatchesItsBlocksAgain() {
    ScheduledRequest<ScheduledSequence> low = submit(0, 9, tokens(20, 0));
    step();
    ScheduledRequest<ScheduledSequence> high = submit(1, 1, tokens(16, 50));
    step();
    assertThat(low.state()).isEqualTo(SchedulingState.PREEMPTED);
    assertThatThrownBy(() -> low.payload().sequence()).hasMessageContaining("does not run");
    assertThat(high.endReason()).isEqualTo(EndReason.FINISHED);
    step();
    assertThat(low.state()).isEqualTo(SchedulingState.RUNNING);
    assertThat(low.matchedTokens()).isPositive();
    assertThat(low.payload().length()).isEqualTo(22);
  }

  @Test
  void aRequestWaitsWhileAnotherOneComputesItsPrefix() {
    ScheduledRequest<ScheduledSequence> first = submit(1, 9, tokens(9, 0));
    ScheduledRequest<ScheduledSequence> second = submit(1, 1, tokens(10, 0));
    step();
    assertThat(first.outputTokens()).isEqualTo(1);
    assertThat(second.state()).isEqualTo(SchedulingState.WAITING);
    step();
    assertThat(second.matchedTokens()).isEqualTo(8);
    assertThat(second.endReason()).isEqualTo(EndReason.FINISHED);
  }

  @Test
  void aRequestDoesNotWaitForBlocksThatAreNotKept() {
    engine.cache.install(NoEviction.NAME, new NoEviction());
    submit(1, 9, tokens(9, 0));
    ScheduledRequest<ScheduledSequence> second = submit(1, 1, tokens(10, 0));
    step();
    assertThat(second.endReason()).isEqualTo(EndReason.FINISHED);
  }

  @Test
  void policiesReceiveTheEndOfAFinishedRequestOnly() {
    List<String> ends = new ArrayList<>();
    BlockPolicy<?> recorder =
        new RankedBlockPolicy() {
          @Override
          protected double rank(Entry entry) {
            return 0;
          }

          @Override
          public void ended(Request request) {
            ends.add(request.hint() + " " + request.finishReason());
          }
        };
    engine.cache.install("recorder", recorder);
    ScheduledRequest<ScheduledSequence> finishing = submit(1, 1, tokens(8, 0));
    ScheduledRequest<ScheduledSequence> going = submit(1, 9, tokens(8, 50));
    finishing.payload().ends(new SequenceEnd(3, "stop", null));
    going.payload().ends(new SequenceEnd(4, "stop", null));
    step();
    scheduler.cancel(going);
    assertThat(ends).containsExactly("3 stop", "0 null");
  }

  @Test
  void dropsCachedBlocksThatNoRequestUses() {
    submit(1, 1, tokens(8, 0));
    submit(1, 9, tokens(8, 50));
    step();
    assertThat(engine.pool.freeBlocks()).isEqualTo(4);
    memory.dropCached();
    assertThat(engine.pool.freeBlocks()).isEqualTo(6);
    // Those of the running request.
    assertThat(engine.cache.residentEntries()).isEqualTo(2);
    assertThat(engine.cache.evictableBlocks()).isZero();
  }

  @Test
  void policiesSeeTheLengthThatARequestHasReachedAndItsLargestOne() {
    submit(1, 12, tokens(4, 0));
    for (int i = 0; i < 12; i++) {
      step();
    }
    CacheEntry entry = engine.cache.at(0);
    assertThat(entry).isNotNull();
    // Nothing was computed from the last token.
    assertThat(entry.sequenceLength()).isEqualTo(15);
    assertThat(entry.maxSequenceLength()).isEqualTo(16);
  }

  @Test
  void aPreemptedRequestCountsAsPreemptedAndNotAsFinished() {
    submit(1, 9, tokens(20, 0));
    step();
    ScheduledRequest<ScheduledSequence> urgent = submit(2, 1, tokens(16, 100));
    step();
    assertThat(urgent.endReason()).isEqualTo(EndReason.FINISHED);
    assertThat(engine.report().traffic().preempted()).isOne();
    assertThat(engine.report().traffic().finished()).isOne();
    assertThat(requireNonNull(engine.engine.requests.stats()).preemptions()).isOne();
  }

  @Test
  void aFailedRequestPublishesNothing() {
    ScheduledRequest<ScheduledSequence> failing = submit(1, 1, tokens(8, 0));
    scheduler.step(++now).fail(0, "no kernel");
    scheduler.completed(now);
    assertThat(failing.endReason()).isEqualTo(EndReason.FAILED);
    assertThat(engine.cache.evictableBlocks()).isZero();
    assertThat(engine.pool.freeBlocks()).isEqualTo(8);
  }
}
