package dev.ebb.host.engine.sequence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.PreemptionRules;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A policy sees the scheduler's queue when a request begins. */
class WaitingSequencesTest {

  private static final int BLOCKS = 64;

  private final List<ScheduledRequest<ScheduledSequence>> ended = new ArrayList<>();

  @Test
  void thePolicySeesTheChainsOfThoseThatBeginNext() {
    Recorder policy = new Recorder();
    serve(policy, 4);

    assertThat(policy.begun).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(policy.queues.get(i)).isEqualTo(policy.begun.subList(i + 1, 4));
    }
  }

  @Test
  void itSeesOnlyTheFirstOfALongQueue() {
    Recorder policy = new Recorder();
    serve(policy, 50);

    assertThat(policy.begun).hasSize(50);
    assertThat(policy.queues.getFirst()).isEqualTo(policy.begun.subList(1, 33));
  }

  private void serve(Recorder policy, int requests) {
    try (HostDevice device = new HostDevice();
        KvPool pool =
            KvPool.open(
                TinyDecoderTest.LAYOUT,
                device,
                (long) BLOCKS * TinyDecoderTest.LAYOUT.blockBytes())) {
      InlineBlockCache cache =
          new InlineBlockCache(BLOCKS, System::nanoTime, new GhostWindow(64), OnFault.FAIL);
      cache.install(new PolicyCandidate("recorder", policy));
      Engine engine = new Engine();
      engine.add(pool, cache, 1, 1);
      Duration hour = Duration.ofHours(1);
      SchedulerOptions options = new SchedulerOptions(1, 64, 100, hour, false, hour, 32);
      Scheduler<ScheduledSequence> scheduler =
          new Scheduler<>(
              options, new SequenceMemory<>(engine), PreemptionRules.values()[0], ended::add);
      for (int i = 0; i < requests; i++) {
        int first = i;
        int[] tokens = IntStream.range(0, 20).map(token -> first + token).toArray();
        // The least urgent one is submitted first.
        int priority = i == 0 ? 0 : 1;
        scheduler.submit(
            new Submission<>(
                new ScheduledSequence(
                    SequenceRequest.of(Namespace.of("m"), tokens).withPriority(priority)),
                tokens.length,
                1,
                priority,
                null),
            0);
      }
      for (int i = 0; i < requests; i++) {
        Batch<ScheduledSequence> batch = scheduler.step(i);
        assertThat(batch.size()).isEqualTo(1);
        batch.request(0).payload().generated(1);
        scheduler.completed(i);
      }
      assertThat(ended).hasSize(requests);
      engine.close();
    }
  }

  private static final class Recorder extends RankedBlockPolicy {
    final List<List<Long>> begun = new ArrayList<>();
    final List<List<List<Long>>> queues = new ArrayList<>();

    @Override
    protected double rank(Entry entry) {
      return 0;
    }

    @Override
    public void began(Request request) {
      begun.add(chain(request));
      queues.add(
          IntStream.range(0, request.waiting()).mapToObj(i -> chain(request.waiting(i))).toList());
    }

    private static List<Long> chain(Request request) {
      long[] chain = new long[request.blocks()];
      Arrays.setAll(chain, request::fingerprint);
      return Arrays.stream(chain).boxed().toList();
    }
  }
}
