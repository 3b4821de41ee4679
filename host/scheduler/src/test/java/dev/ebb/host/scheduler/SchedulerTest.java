package dev.ebb.host.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.ebb.spi.PreemptionPolicy;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The rules of docs/scheduler.md, one by one. */
class SchedulerTest {

  private final List<ScheduledRequest<Integer>> ended = new ArrayList<>();
  private CountingMemory memory = new CountingMemory(1_000);
  private SchedulerOptions options = options(2, 8, 4);
  private Scheduler<Integer> scheduler = scheduler(PreemptionRules.LOWEST_PRIORITY);
  private long now;

  private static SchedulerOptions options(int maxRunning, int maxBatchedTokens, int maxQueued) {
    return new SchedulerOptions(
        maxRunning,
        maxBatchedTokens,
        maxQueued,
        Duration.ofNanos(1_000),
        false,
        Duration.ofNanos(100),
        16);
  }

  private Scheduler<Integer> scheduler(PreemptionPolicy rule) {
    return new Scheduler<>(options, memory.view(), rule, ended::add);
  }

  private void with(SchedulerOptions changed) {
    options = changed;
    scheduler = scheduler(PreemptionRules.LOWEST_PRIORITY);
  }

  private void withBlocks(int blocks) {
    memory = new CountingMemory(blocks);
    scheduler = scheduler(PreemptionRules.LOWEST_PRIORITY);
  }

  private ScheduledRequest<Integer> submit(int prompt, int output, int priority) {
    return submit(prompt, output, priority, null);
  }

  private ScheduledRequest<Integer> submit(
      int prompt, int output, int priority, @Nullable String tenant) {
    return scheduler.submit(new Submission<>(0, prompt, output, priority, tenant), now);
  }

  /** Runs a step of one nanosecond, and returns what it computed, as id:tokens. */
  private List<String> step() {
    Batch<Integer> batch = scheduler.step(++now);
    List<String> computed = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      computed.add(batch.request(i).id() + ":" + batch.tokens(i));
    }
    scheduler.completed(now);
    return computed;
  }

  @Test
  void aLargerPriorityIsMoreUrgent() {
    submit(8, 1, 0);
    submit(8, 1, 2);
    submit(8, 1, 1);
    assertThat(List.of(step(), step(), step()))
        .isEqualTo(List.of(List.of("2:8"), List.of("3:8"), List.of("1:8")));
  }

  @Test
  void aRequestWaitsWhileItsPrefixIsComputed() {
    submit(4, 2, 1);
    submit(4, 1, 1);
    memory.inProgress = true;
    assertThat(step()).containsExactly("1:4");
    memory.inProgress = false;
    assertThat(step()).containsExactly("1:1", "2:4");
  }

  @Test
  void theMemoryLearnsWhatEachStepHasComputed() {
    submit(12, 2, 1);
    List.of(step(), step(), step()).forEach(computed -> assertThat(computed).hasSize(1));
    // The last step ends the request.
    assertThat(memory.computed).containsExactly("1:8", "1:12");
  }

  @Test
  void aSmallerPriorityCanBeMoreUrgent() {
    with(new SchedulerOptions(2, 8, 4, Duration.ofNanos(1_000), true, Duration.ofNanos(100), 16));
    submit(8, 1, Integer.MAX_VALUE);
    submit(8, 1, Integer.MIN_VALUE);
    assertThat(List.of(step(), step())).isEqualTo(List.of(List.of("2:8"), List.of("1:8")));
  }

  @Test
  void promptsAreComputedInChunksBesideDecodes() {
    submit(8, 3, 1);
    assertThat(step()).containsExactly("1:8");
    submit(20, 2, 1);
    assertThat(step()).containsExactly("1:1", "2:7");
    assertThat(step()).containsExactly("1:1", "2:7");
    assertThat(step()).containsExactly("2:6");
    assertThat(step()).containsExactly("2:1");
    assertThat(ended).extracting(ScheduledRequest::outputTokens).containsExactly(3, 2);
  }

  @Test
  void anUrgentPromptDoesNotWaitForALongOne() {
    submit(100, 1, 0);
    assertThat(step()).containsExactly("1:8");
    submit(10, 1, 1);
    assertThat(step()).containsExactly("2:8");
    assertThat(step()).containsExactly("2:2", "1:6");
  }

  @Test
  void admissionNeedsRoomForTheUnmatchedTokensOnly() {
    withBlocks(4);
    submit(8, 8, 1);
    step();
    ScheduledRequest<Integer> unmatched = submit(12, 1, 1);
    assertThat(step()).containsExactly("1:1");
    scheduler.cancel(unmatched);
    scheduler.submit(new Submission<>(8, 12, 1, 1, null), now);
    assertThat(step()).containsExactly("1:1", "3:4");
  }

  @Test
  void theLastTokenIsComputedEvenIfAllTokensMatch() {
    scheduler.submit(new Submission<>(8, 8, 1, 1, null), now);
    assertThat(step()).containsExactly("1:1");
    assertThat(ended).extracting(ScheduledRequest::endReason).containsExactly(EndReason.FINISHED);
  }

  @Test
  void aWithdrawnRequestReleasesItsMemoryBetweenSteps() {
    withBlocks(4);
    ScheduledRequest<Integer> moving = submit(8, 4, 1);
    scheduler.step(now);
    assertThatThrownBy(() -> scheduler.withdraw(moving)).hasMessageContaining("in this step");
    scheduler.completed(now);
    assertThat(scheduler.withdraw(moving)).isTrue();
    assertThat(scheduler.withdraw(moving)).isFalse();
    assertThat(ended).extracting(ScheduledRequest::endReason).containsExactly(EndReason.MOVED);
    assertThat(scheduler.running()).isZero();
    submit(12, 1, 1);
    assertThat(step()).containsExactly("2:8");
  }

  @Test
  void aFullQueueRefusesTheLeastUrgentRequest() {
    for (int i = 0; i < 4; i++) {
      submit(8, 1, 1);
    }
    ScheduledRequest<Integer> late = submit(8, 1, 1);
    assertThat(late.endReason()).isEqualTo(EndReason.QUEUE_FULL);
    assertThat(late.endMessage()).contains("max-queued '4'", "try again");
    ScheduledRequest<Integer> urgent = submit(8, 1, 2);
    assertThat(urgent.state()).isEqualTo(SchedulingState.WAITING);
    assertThat(ended).extracting(ScheduledRequest::id).containsExactly(5L, 4L);
    assertThat(submit(8, 1, 0).endReason()).isEqualTo(EndReason.QUEUE_FULL);
  }

  @Test
  void aFullQueueRefusesTheTenantWithMostRequests() {
    submit(8, 1, 1, "few");
    for (int i = 0; i < 3; i++) {
      submit(8, 1, 1, "many");
    }
    ScheduledRequest<Integer> second = submit(8, 1, 1, "few");
    assertThat(second.state()).isEqualTo(SchedulingState.WAITING);
    assertThat(ended).extracting(ScheduledRequest::id).containsExactly(4L);
    assertThat(submit(8, 1, 1, "few").endReason()).isEqualTo(EndReason.QUEUE_FULL);
  }

  @Test
  void aRequestIsRefusedAfterTheQueueTimeoutUnlessItHasRun() {
    with(options(1, 8, 4));
    ScheduledRequest<Integer> running = submit(4, 500, 0);
    step();
    submit(4, 500, 1);
    step();
    assertThat(running.state()).isEqualTo(SchedulingState.PREEMPTED);
    ScheduledRequest<Integer> queued = submit(4, 1, 0);
    assertThat(scheduler.nanosToTimeout(now)).isEqualTo(1_000);
    now += 1_000;
    step();
    assertThat(queued.endReason()).isEqualTo(EndReason.QUEUE_TIMEOUT);
    assertThat(queued.endMessage()).contains("queue-timeout '1000 ns'", "try again");
    assertThat(running.state()).isNotEqualTo(SchedulingState.ENDED);
    assertThat(scheduler.nanosToTimeout(now)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aRequestThatCanNeverFitIsRefused() {
    withBlocks(4);
    assertThat(submit(12, 5, 1).state()).isEqualTo(SchedulingState.WAITING);
    ScheduledRequest<Integer> tooLong = submit(12, 6, 1);
    assertThat(tooLong.endReason()).isEqualTo(EndReason.TOO_LONG);
    assertThat(tooLong.endMessage()).contains("'12'", "'6'", "16", "shorten");
    assertThat(submit(Integer.MAX_VALUE, Integer.MAX_VALUE, 1).endReason())
        .isEqualTo(EndReason.TOO_LONG);
  }

  @Test
  void requestsAreCancelledInEachState() {
    with(options(1, 8, 4));
    ScheduledRequest<Integer> preempted = submit(4, 50, 0);
    step();
    ScheduledRequest<Integer> running = submit(4, 50, 1);
    step();
    ScheduledRequest<Integer> waiting = submit(4, 50, 0);
    scheduler.cancel(waiting);
    scheduler.cancel(preempted);
    assertThat(ended).containsExactly(waiting, preempted);
    scheduler.step(++now);
    assertThat(scheduler.cancel(running)).isTrue();
    assertThat(running.state()).isEqualTo(SchedulingState.RUNNING);
    scheduler.completed(now);
    ScheduledRequest<Integer> idle = submit(4, 50, 0);
    step();
    scheduler.cancel(idle);
    assertThat(ended).containsExactly(waiting, preempted, running, idle);
    assertThat(ended).allMatch(request -> request.endReason() == EndReason.CANCELLED);
    assertThat(scheduler.cancel(idle)).isFalse();
    assertThat(memory.used()).isZero();
    assertThat(scheduler.queued() + scheduler.preempted() + scheduler.running()).isZero();
    assertThat(step()).isEmpty();
  }

  @Test
  void aFailedRequestEndsAndTheOthersContinue() {
    ScheduledRequest<Integer> failing = submit(4, 2, 1);
    ScheduledRequest<Integer> other = submit(4, 2, 1);
    scheduler.step(++now).fail(0, "the device is lost");
    scheduler.completed(now);
    step();
    assertThat(failing.endReason()).isEqualTo(EndReason.FAILED);
    assertThat(failing.endMessage()).isEqualTo("the device is lost");
    assertThat(other.endReason()).isEqualTo(EndReason.FINISHED);
    assertThat(memory.used()).isZero();
  }

  @Test
  void anUrgentRequestPreemptsOnlyIfThatIsEnough() {
    withBlocks(7);
    ScheduledRequest<Integer> low = submit(8, 8, 0);
    ScheduledRequest<Integer> high = submit(8, 8, 2);
    step();
    step();
    memory.external = 1;
    ScheduledRequest<Integer> large = submit(16, 1, 1);
    step();
    assertThat(low.state()).isEqualTo(SchedulingState.RUNNING);
    scheduler.cancel(large);
    ScheduledRequest<Integer> small = submit(7, 1, 1);
    step();
    assertThat(low.state()).isEqualTo(SchedulingState.PREEMPTED);
    assertThat(small.endReason()).isEqualTo(EndReason.FINISHED);
    assertThat(high.preemptions()).isZero();
  }

  @Test
  void aPreemptedRequestContinuesWithItsOutput() {
    with(options(1, 8, 4));
    ScheduledRequest<Integer> low = submit(4, 4, 0);
    step();
    step();
    submit(4, 1, 1);
    step();
    assertThat(low.outputTokens()).isEqualTo(2);
    assertThat(step()).containsExactly("1:6");
    assertThat(step()).containsExactly("1:1");
    assertThat(low.endReason()).isEqualTo(EndReason.FINISHED);
    assertThat(low.outputTokens()).isEqualTo(4);
  }

  @Test
  void eachRuleHasItsVictim() {
    assertThat(victimOf(PreemptionRules.LOWEST_PRIORITY)).isEqualTo(3);
    assertThat(victimOf(PreemptionRules.LEAST_PROGRESS)).isEqualTo(2);
    assertThat(victimOf(PreemptionRules.CHEAPEST_TO_RECOMPUTE)).isEqualTo(1);
    assertThat(victimOf((first, second) -> Long.compare(first.admission(), second.admission())))
        .isEqualTo(1);
  }

  /** A request of low cost, one with little progress, and one that may be less urgent. */
  private long victimOf(PreemptionPolicy rule) {
    options = options(3, 100, 4);
    memory = new CountingMemory(1_000);
    scheduler = scheduler(rule);
    ended.clear();
    List<ScheduledRequest<Integer>> requests = new ArrayList<>();
    requests.add(submit(4, 50, 1));
    step();
    step();
    requests.add(submit(20, 50, 1));
    requests.add(submit(12, 50, rule == PreemptionRules.LOWEST_PRIORITY ? 0 : 1));
    step();
    // So the last one has neither the least progress nor the lowest cost.
    requests.getLast().outputTokens = 4;
    requests.getLast().computedTokens = 15;
    submit(4, 1, 2);
    scheduler.step(++now);
    requests.removeIf(request -> request.state() != SchedulingState.PREEMPTED);
    assertThat(requests).hasSize(1);
    return requests.getFirst().id();
  }

  @Test
  void tenantsGetEqualTokens() {
    with(options(1, 8, 100));
    long[] tokens = new long[3];
    int[] live = new int[3];
    for (int i = 0; i < 30_000; i++) {
      // Many long prompts of one tenant, long outputs of the next, short requests of the last.
      keep(live, 0, 20, 40, 1);
      keep(live, 1, 10, 1, 20);
      keep(live, 2, 12, 3, 2);
      step();
      for (ScheduledRequest<Integer> request : ended) {
        tokens[tenant(request)] += request.endReason() == EndReason.FINISHED ? request.tokens() : 0;
        live[tenant(request)]--;
      }
      ended.clear();
    }
    long all = tokens[0] + tokens[1] + tokens[2];
    assertThat(LongStream.of(tokens)).allMatch(share -> share > 0.3 * all && share < 0.37 * all);
  }

  private void keep(int[] live, int tenant, int count, int prompt, int output) {
    while (live[tenant] < count) {
      submit(prompt, output, 1, "" + tenant);
      live[tenant]++;
    }
  }

  private static int tenant(ScheduledRequest<Integer> request) {
    return Integer.parseInt(String.valueOf(request.submission().tenant()));
  }

  @Test
  void aLowPriorityDoesNotStarve() {
    with(options(1, 8, 100));
    List<ScheduledRequest<Integer>> low = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      low.add(submit(8, 2, 0));
    }
    int urgent = 0;
    for (int i = 0; i < 400; i++) {
      while (scheduler.queued() < 60) {
        submit(8, 1, 1);
        urgent++;
      }
      step();
    }
    assertThat(low).allMatch(request -> request.endReason() == EndReason.FINISHED);
    assertThat(low).allMatch(request -> request.preemptions() == 0);
    assertThat(urgent).isGreaterThan(200);
  }

  /** Writes down what it receives. */
  private static final class Notes implements SchedulerObserver {
    final List<String> notes = new ArrayList<>();

    @Override
    public void admitted(ScheduledRequest<?> request, long nanos) {
      notes.add("%d admitted after %d".formatted(request.id(), nanos));
    }

    @Override
    public void preempted(ScheduledRequest<?> request) {
      notes.add("%d preempted".formatted(request.id()));
    }

    @Override
    public void generated(ScheduledRequest<?> request, long nanos) {
      notes.add("%d token after %d".formatted(request.id(), nanos));
    }

    @Override
    public void ended(ScheduledRequest<?> request) {
      notes.add(
          "%d %s%s after %d"
              .formatted(
                  request.id(),
                  request.endReason(),
                  request.stopped() ? " early" : "",
                  request.latencyNanos()));
    }
  }

  @Test
  void anObserverReceivesEachRequestWithItsTimes() {
    Notes observer = new Notes();
    with(options(1, 64, 2));
    scheduler =
        new Scheduler<>(
            options,
            new UnlimitedMemory() {
              @Override
              public SchedulerObserver observer() {
                return observer;
              }
            },
            PreemptionRules.LOWEST_PRIORITY,
            ended::add);
    submit(4, 2, 1);
    submit(4, 9, 1);
    submit(4, 9, 1);
    step();
    now += 10;
    step();
    now += 20;
    scheduler.step(++now).finish(0);
    scheduler.completed(now);
    assertThat(observer.notes)
        .containsExactly(
            "3 QUEUE_FULL after 0",
            "1 admitted after 1",
            "1 token after 1",
            "1 token after 11",
            "1 FINISHED after 12",
            "2 admitted after 33",
            "2 token after 33",
            "2 FINISHED early after 33");
  }

  @Test
  void aStepAllocatesNothing() {
    with(options(64, 64, 64));
    scheduler =
        new Scheduler<>(
            options, new UnlimitedMemory(), PreemptionRules.LOWEST_PRIORITY, ended::add);
    for (int i = 0; i < 64; i++) {
      submit(1, 1_000_000, 1);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 100; i++) {
        scheduler.step(++now);
        scheduler.completed(now);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isLessThan(100);
  }

  @Test
  void misuseIsReported() {
    submit(20, 1, 1);
    Batch<Integer> batch = scheduler.step(++now);
    assertThatThrownBy(() -> scheduler.step(now))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("completed()");
    assertThatThrownBy(() -> batch.finish(0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'12' prompt tokens");
    assertThatThrownBy(() -> new Submission<>(0, 0, 1, 1, null))
        .hasMessageContaining("prompt tokens '0'");
    assertThatThrownBy(() -> options(9, 8, 1)).hasMessageContaining("max-batched-tokens '8'");
  }
}
