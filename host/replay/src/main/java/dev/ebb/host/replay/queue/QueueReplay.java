package dev.ebb.host.replay.queue;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.scheduler.Batch;
import dev.ebb.host.scheduler.EndReason;
import dev.ebb.host.scheduler.ScheduledRequest;
import dev.ebb.host.scheduler.Scheduler;
import dev.ebb.host.scheduler.SchedulerMemory;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.scheduler.SchedulingState;
import dev.ebb.host.scheduler.Submission;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PreemptionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An engine with the production scheduler that computes nothing, in virtual time: requests arrive
 * as the trace says, and a step takes a fixed time and some more for each token. Memory is counted
 * in blocks; none are shared, and a preempted request computes all its tokens again. The same trace
 * and options give the same result. For one run.
 */
final class QueueReplay implements SchedulerMemory<QueueReplay.Job> {

  private static final int MOST_RUNNING = 256;
  private static final int BATCHED_TOKENS = 2_048;

  /** So many years that no request is refused: policies are compared by the same requests. */
  private static final Duration NEVER = Duration.ofDays(36_500);

  /**
   * A request of the trace.
   *
   * @param outputTokens the length of its answer, at least 1
   */
  record Job(
      long arrival, int promptTokens, int outputTokens, int priority, @Nullable String tenant) {}

  private final List<Job> jobs = new ArrayList<>();
  private final QueueOptions options;
  private final Map<Long, Integer> held = new HashMap<>();
  private int free;
  private long now;
  private int tooLong;
  private long preemptions;
  private long computed;
  private long recomputed;
  private int missed;
  private final List<Long> waits = new ArrayList<>();
  private final List<Long> latencies = new ArrayList<>();

  private QueueReplay(DecodedTrace trace, QueueOptions options) {
    this.options = options;
    free = options.blocks();
    try (TraceCursor cursor = trace.cursor()) {
      while (cursor.next()) {
        TraceRequest request = cursor.request();
        jobs.add(
            new Job(
                request.timestampNanos(),
                Math.clamp(request.inputTokens(), 1, Integer.MAX_VALUE / 4),
                Math.clamp(request.outputTokens(), 1, Integer.MAX_VALUE / 4),
                request.priority(),
                request.tenant()));
      }
    }
  }

  /**
   * Runs the requests of a trace under one policy.
   *
   * @param policy makes the policy on the clock of this run; the caller closes it
   */
  static QueueResult run(
      String name,
      DecodedTrace trace,
      QueueOptions options,
      Function<PolicyClock, PreemptionPolicy> policy) {
    QueueReplay replay = new QueueReplay(trace, options);
    return replay.run(name, policy.apply(() -> replay.now));
  }

  private QueueResult run(String name, PreemptionPolicy policy) {
    // Policies do not know how long an answer will be, only how long any may be.
    int longest = jobs.stream().mapToInt(Job::outputTokens).max().orElse(1);
    Scheduler<Job> scheduler =
        new Scheduler<>(
            new SchedulerOptions(
                MOST_RUNNING,
                BATCHED_TOKENS,
                Integer.MAX_VALUE,
                NEVER,
                false,
                SchedulerOptions.DEFAULTS.starvationAfter(),
                SchedulerOptions.DEFAULTS.tenantQuantum()),
            this,
            policy,
            this::ended);
    int next = 0;
    while (true) {
      while (next < jobs.size() && jobs.get(next).arrival <= now) {
        scheduler.submit(submission(jobs.get(next++), longest), now);
      }
      Batch<Job> batch = scheduler.step(now);
      if (!batch.isEmpty()) {
        compute(batch);
        scheduler.completed(now);
      } else if (next < jobs.size()) {
        now = jobs.get(next).arrival;
      } else {
        return result(name, scheduler);
      }
    }
  }

  private Submission<Job> submission(Job job, int longest) {
    return new Submission<>(
        job,
        job.promptTokens,
        longest,
        job.priority,
        job.tenant,
        job.arrival + options.deadline().toNanos());
  }

  private void compute(Batch<Job> batch) {
    now += options.stepNanos(batch.totalTokens());
    computed += batch.totalTokens();
    for (int i = 0; i < batch.size(); i++) {
      ScheduledRequest<Job> request = batch.request(i);
      if (batch.samples(i) && request.outputTokens() + 1 == request.payload().outputTokens) {
        batch.finish(i);
      }
    }
  }

  private void ended(ScheduledRequest<Job> request) {
    if (request.endReason() == EndReason.TOO_LONG) {
      tooLong++;
      return;
    }
    long latency = now - request.payload().arrival;
    waits.add(request.waitedNanos());
    latencies.add(latency);
    missed += latency > options.deadline().toNanos() ? 1 : 0;
  }

  private QueueResult result(String name, Scheduler<Job> scheduler) {
    return new QueueResult(
        name,
        latencies.size(),
        tooLong,
        preemptions,
        computed,
        recomputed,
        waits,
        latencies,
        missed,
        scheduler.preemptionFault());
  }

  @Override
  public long capacityTokens() {
    return (long) options.blocks() * QueueOptions.BLOCK_TOKENS;
  }

  @Override
  public int admit(ScheduledRequest<Job> request) {
    return take(request) ? 0 : NO_ROOM;
  }

  @Override
  public boolean grow(ScheduledRequest<Job> request) {
    return take(request);
  }

  private boolean take(ScheduledRequest<Job> request) {
    int more = blocks(request) - held.getOrDefault(request.id(), 0);
    if (more > free) {
      return false;
    }
    free -= more;
    held.merge(request.id(), more, Integer::sum);
    return true;
  }

  @Override
  public void release(ScheduledRequest<Job> request) {
    free += requireNonNull(held.remove(request.id()), "not admitted");
    if (request.state() == SchedulingState.PREEMPTED) {
      preemptions++;
      recomputed += request.computedTokens();
    }
  }

  @Override
  public long shortage(ScheduledRequest<Job> request) {
    return Math.max(0L, blocks(request) - free) * QueueOptions.BLOCK_TOKENS;
  }

  @Override
  public long held(ScheduledRequest<Job> request) {
    return (long) held.getOrDefault(request.id(), 0) * QueueOptions.BLOCK_TOKENS;
  }

  private static int blocks(ScheduledRequest<Job> request) {
    return Math.ceilDiv(request.tokens(), QueueOptions.BLOCK_TOKENS);
  }
}
