package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.BatchEngine;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerLoop;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.SchedulingState;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.host.testing.Histories;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The scheduler drives a decoder on a small pool, with prefix reuse, eviction, preemption and
 * cancellation. The answers equal those of the same decoder that runs each request alone.
 */
class ScheduledEngineTest {

  private static final int REQUESTS = Histories.times(200);
  private static final int OUTPUT = 9;

  private final TinyModel model = new TinyModel();
  private final List<ScheduledRequest<ScheduledSequence>> ended = new ArrayList<>();

  @Test
  void answersDoNotDependOnReuseEvictionAndPreemption() {
    for (PreemptionRules rule : PreemptionRules.values()) {
      serve(rule);
    }
  }

  private void serve(PreemptionRules rule) {
    ended.clear();
    int blocks = 16;
    try (HostDevice device = new HostDevice();
        KvPool pool =
            KvPool.open(
                TinyDecoderTest.LAYOUT,
                device,
                (long) blocks * TinyDecoderTest.LAYOUT.blockBytes())) {
      BlockCache cache =
          new InlineBlockCache(blocks, System::nanoTime, new GhostWindow(64), OnFault.FALL_BACK);
      Engine engine = new Engine();
      DevicePartition partition = engine.add(pool, cache, 1, 1);
      SchedulerOptions options =
          new SchedulerOptions(4, 12, 30, Duration.ofNanos(400), false, Duration.ofNanos(100), 32);
      Decoder decoder = new Decoder(partition);
      new SchedulerLoop<>(
              new Scheduler<>(options, new SequenceMemory<>(engine), rule, ended::add), decoder)
          .run();

      assertThat(ended).hasSize(REQUESTS).doesNotHaveDuplicates();
      assertThat(ended).extracting(ScheduledRequest::endReason).contains(EndReason.CANCELLED);
      assertThat(ended).anyMatch(request -> request.preemptions() > 0);
      assertThat(ended).anyMatch(request -> request.matchedTokens() > 0);
      assertThat(cache.evictions()).isPositive();
      assertThat(partition.reclaimer.counters().preemptions()).isZero();
      assertThat(engine.sequences).isEmpty();
      assertThat(partition.obtainableBlocks()).isEqualTo(blocks);
      long finished = ended.stream().filter(this::answeredAsAlone).count();
      assertThat(finished).isGreaterThan(REQUESTS / 2);
      engine.close();
    }
  }

  /** Returns whether a request has finished, then with the answer that it gets alone. */
  private boolean answeredAsAlone(ScheduledRequest<ScheduledSequence> request) {
    if (request.endReason() != EndReason.FINISHED) {
      return false;
    }
    List<Integer> tokens = new ArrayList<>();
    for (int i = 0; i < request.submission().promptTokens(); i++) {
      tokens.add(request.payload().token(i));
    }
    for (int i = tokens.size(); i < request.payload().length(); i++) {
      tokens.add(TinyDecoderTest.best(TinyDecoderTest.overArrays(model, tokens)));
      assertThat(request.payload().token(i)).isEqualTo(tokens.getLast());
    }
    return true;
  }

  /** Submits a request in most steps, of three beginnings and two priorities. */
  private final class Decoder implements BatchEngine<ScheduledSequence> {
    private final DevicePartition partition;
    private final Random random = new Random(5);
    private final List<ScheduledRequest<ScheduledSequence>> sent = new ArrayList<>();
    private long now;

    Decoder(DevicePartition partition) {
      this.partition = partition;
    }

    @Override
    public long now() {
      return now;
    }

    @Override
    public void receive(Scheduler<ScheduledSequence> scheduler) {
      if (sent.size() < REQUESTS && random.nextInt(4) == 0) {
        sent.add(submit(scheduler));
      }
      if (!sent.isEmpty() && random.nextInt(30) == 0) {
        scheduler.cancel(sent.get(random.nextInt(sent.size())));
      }
    }

    private ScheduledRequest<ScheduledSequence> submit(Scheduler<ScheduledSequence> scheduler) {
      int[] tokens = new int[15 + random.nextInt(8)];
      int beginning = random.nextInt(3);
      for (int i = 0; i < tokens.length; i++) {
        tokens[i] = (i < 14 ? beginning * 5 + i : random.nextInt(99)) % TinyModel.VOCABULARY;
      }
      int priority = random.nextInt(2);
      SequenceRequest prompt =
          SequenceRequest.of(Namespace.of("tiny"), tokens).withPriority(priority);
      return scheduler.submit(
          new Submission<>(
              new ScheduledSequence(prompt), tokens.length, OUTPUT, priority, "t" + beginning),
          now);
    }

    @Override
    public void compute(Batch<ScheduledSequence> batch) {
      for (int i = 0; i < batch.size(); i++) {
        float[] logits = compute(batch, i);
        if (batch.samples(i)) {
          batch.request(i).payload().generated(TinyDecoderTest.best(logits));
        }
      }
      now++;
      partition.movement.betweenBatches(0, 4L * TinyDecoderTest.LAYOUT.blockBytes());
    }

    private float[] compute(Batch<ScheduledSequence> batch, int index) {
      ScheduledRequest<ScheduledSequence> request = batch.request(index);
      ScheduledSequence payload = request.payload();
      assertThat(request.state()).isEqualTo(SchedulingState.RUNNING);
      float[] logits = new float[0];
      try (KvAccess access = payload.sequence().access()) {
        TinyModel.Store store = new TinyDecoderTest.PoolStore(access);
        for (int i = 0; i < batch.tokens(index); i++) {
          int at = batch.firstToken(index) + i;
          logits = model.step(store, payload.token(at), at, at >= request.matchedTokens());
        }
      }
      return logits;
    }

    @Override
    public boolean await(long nanos) {
      now++;
      return sent.size() < REQUESTS || nanos < Long.MAX_VALUE;
    }
  }
}
