package dev.ebb.host.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Histories;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Compares the scheduler with {@link NaiveScheduler} on random workloads. */
class SchedulerModelTest {

  private static final int STEPS = Histories.times(250_000);
  private static final List<PreemptionRules> RULES = List.of(PreemptionRules.values());
  private static final int STEPS_OF_A_RUN = 2_000;

  @Test
  void decidesAsPlainListsDo() {
    IntStream.range(0, STEPS / STEPS_OF_A_RUN).parallel().forEach(seed -> new Run(seed).run());
  }

  /** One scheduler and its model, in lockstep. */
  private static final class Run {
    private final Random random;
    private final String seed;
    private final SchedulerOptions options;
    private final CountingMemory memory;
    private final CountingMemory modelMemory;
    private final Scheduler<Integer> scheduler;
    private final NaiveScheduler model;
    private final int blocks;
    private final int busy;
    private final List<String> ends = new ArrayList<>();
    private final TreeMap<Long, ScheduledRequest<Integer>> live = new TreeMap<>();
    private final TreeMap<Long, NaiveScheduler.Job> jobs = new TreeMap<>();
    private long submitted;
    private long now;

    Run(int seed) {
      random = new Random(seed);
      this.seed = "seed " + seed;
      int maxRunning = 1 + random.nextInt(5);
      options =
          new SchedulerOptions(
              maxRunning,
              maxRunning + random.nextInt(20),
              1 + random.nextInt(8),
              Duration.ofNanos(1 + random.nextInt(400)),
              random.nextBoolean(),
              Duration.ofNanos(1 + random.nextInt(200)),
              1 + random.nextInt(30));
      blocks = 2 + random.nextInt(20);
      busy = 1 + random.nextInt(30);
      memory = new CountingMemory(blocks);
      modelMemory = new CountingMemory(blocks);
      PreemptionRules rule = RULES.get(random.nextInt(RULES.size()));
      scheduler = new Scheduler<>(options, memory.view(), rule, this::ended);
      model = new NaiveScheduler(options, modelMemory, rule);
    }

    private void ended(ScheduledRequest<Integer> request) {
      ends.add(request.id() + " " + request.endReason());
      live.remove(request.id());
    }

    void run() {
      for (int step = 0; step < STEPS_OF_A_RUN; step++) {
        now += 1 + random.nextInt(10);
        change();
        step();
        memory.computed.clear();
        compare();
      }
      drain();
    }

    private void change() {
      for (int i = random.nextInt(30) < busy ? random.nextInt(3) : 0; i > 0; i--) {
        submit();
      }
      if (random.nextInt(20) == 0) {
        cancelOne();
      }
      if (random.nextInt(50) == 0) {
        memory.external = random.nextInt(1 + blocks / 2);
        modelMemory.external = memory.external;
      }
      memory.inProgress = random.nextInt(10) == 0;
      modelMemory.inProgress = memory.inProgress;
    }

    private void submit() {
      int cached = random.nextBoolean() ? 0 : random.nextInt(60);
      int prompt = 1 + random.nextInt(random.nextInt(8) == 0 ? 80 : 20);
      int tenant = random.nextInt(4);
      Submission<Integer> asked =
          new Submission<>(
              cached,
              prompt,
              1 + random.nextInt(12),
              random.nextInt(3) - 1,
              tenant == 0 ? null : "t" + tenant);
      ScheduledRequest<Integer> request = scheduler.submit(asked, now);
      NaiveScheduler.Job job = model.submit(asked, now);
      submitted++;
      if (request.state() != SchedulingState.ENDED) {
        live.put(request.id(), request);
      }
      jobs.put(job.id, job);
    }

    private void cancelOne() {
      Long id = live.isEmpty() ? null : live.ceilingKey(random.nextLong(submitted + 1));
      if (id != null) {
        NaiveScheduler.Job job = jobs.get(id);
        ScheduledRequest<Integer> request = live.get(id);
        assertThat(job != null && request != null && scheduler.cancel(request)).isTrue();
        if (job != null) {
          model.cancel(job);
        }
      }
    }

    private void step() {
      Batch<Integer> batch = scheduler.step(now);
      model.step(now);
      checkLimits(batch);
      boolean[] finished = new boolean[batch.size()];
      boolean[] failed = new boolean[batch.size()];
      boolean equal = batch.size() == model.batch.size();
      for (int i = 0; equal && i < batch.size(); i++) {
        equal =
            batch.request(i).id() == model.batch.get(i).id
                && batch.tokens(i) == model.batch.get(i).planned;
        if (batch.samples(i) && random.nextInt(10) == 0) {
          finished[i] = true;
          batch.finish(i);
        }
        if (random.nextInt(100) == 0) {
          failed[i] = true;
          batch.fail(i, "failed");
        }
      }
      if (!equal) {
        throw new AssertionError(seed + " at " + now + ": another batch");
      }
      if (random.nextInt(20) == 0) {
        cancelOne();
      }
      List<NaiveScheduler.Job> planned = List.copyOf(model.batch);
      model.completed(job -> finished[planned.indexOf(job)], job -> failed[planned.indexOf(job)]);
      scheduler.completed(now);
    }

    private void checkLimits(Batch<Integer> batch) {
      boolean prefill = false;
      int decodes = 0;
      for (int i = 0; i < batch.size(); i++) {
        boolean decode = batch.request(i).remaining() == 1;
        decodes += decode ? 1 : 0;
        check(!decode || !prefill, "decodes first");
        prefill |= !decode;
      }
      int decoding = 0;
      for (ScheduledRequest<Integer> request : live.values()) {
        boolean running = request.state() == SchedulingState.RUNNING;
        decoding += running && request.remaining() == 1 ? 1 : 0;
      }
      check(decodes == decoding, "every running request decodes");
      check(batch.totalTokens() <= options.maxBatchedTokens(), "token budget");
      check(scheduler.running() <= options.maxRunning(), "max-running");
      check(scheduler.queued() <= options.maxQueued(), "max-queued");
    }

    private void compare() {
      check(ends.equals(model.ends), "the same ends in the same order");
      ends.clear();
      model.ends.clear();
      check(live.size() == model.waiting.size() + model.running.size(), "as many live requests");
      check(scheduler.running() == model.running.size(), "as many running requests");
      check(memory.used() == modelMemory.used(), "the same memory");
      jobs.values().removeIf(job -> job.state == SchedulingState.ENDED);
      for (NaiveScheduler.Job job : jobs.values()) {
        ScheduledRequest<Integer> request = live.get(job.id);
        check(
            request != null
                && request.state() == job.state
                && request.computedTokens() == job.computed
                && request.outputTokens() == job.output
                && request.preemptions() == job.preemptions,
            "the same progress");
      }
    }

    private void check(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError(seed + " at " + now + ": " + what);
      }
    }

    /** Without new requests, everything ends, and all memory is free. */
    private void drain() {
      memory.inProgress = false;
      modelMemory.inProgress = false;
      memory.external = 0;
      modelMemory.external = 0;
      for (int step = 0; step < 10_000 && !live.isEmpty(); step++) {
        now++;
        step();
        compare();
      }
      check(live.isEmpty(), "every request ends");
      check(memory.used() == 0, "no memory is left");
    }
  }
}
