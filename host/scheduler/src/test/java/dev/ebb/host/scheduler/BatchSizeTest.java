package dev.ebb.host.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BatchSizeTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static BatchObservation seen(
      int limit, int most, int running, int waiting, long evictions, long again, double occupancy) {
    return seen(limit, most, running, waiting, evictions, again, occupancy, 100);
  }

  private static BatchObservation seen(
      int limit,
      int most,
      int running,
      int waiting,
      long evictions,
      long again,
      double occupancy,
      long served) {
    return new BatchObservation(
        0, 1, limit, most, running, waiting, 0, 0, served, evictions, again, occupancy);
  }

  /**
   * A memory for 40 requests beside the prefixes that are used again; each more evicts some.
   *
   * @param gain whether fewer requests serve more tokens
   */
  private static List<Integer> limits(
      BatchSizeController controller, int intervals, long seed, boolean gain) {
    Random random = new Random(seed);
    List<Integer> limits = new ArrayList<>();
    int limit = 100;
    for (int i = 0; i < intervals; i++) {
      double rate = Math.max(0, (limit - 40) / 100.0 + 0.15 * random.nextGaussian());
      long evictions = 500L + random.nextInt(100);
      long served = (gain ? 20_000L - 100L * limit : 100L * limit) + random.nextInt(100);
      BatchSizeDecision next =
          controller.next(
              seen(
                  limit,
                  100,
                  limit,
                  50,
                  evictions,
                  (long) (rate * evictions),
                  0.5 + limit / 250.0,
                  served));
      assertThat(next.limit()).isBetween(1, 100);
      assertThat(next.reason()).isNotEmpty();
      limit = next.limit();
      limits.add(limit);
    }
    return limits;
  }

  private static int changes(List<Integer> limits) {
    int changes = 0;
    for (int i = 1; i < limits.size(); i++) {
      changes += limits.get(i).equals(limits.get(i - 1)) ? 0 : 1;
    }
    return changes;
  }

  @Test
  void theDampedControllerSettlesWhereThePlainRuleOscillates() {
    for (long seed = 1; seed <= 10; seed++) {
      List<Integer> damped = limits(new DampedBatchSize(), 300, seed, true).subList(100, 300);
      List<Integer> plain = limits(ThresholdBatchSize.DEFAULT, 300, seed, true).subList(100, 300);
      assertThat(damped).allMatch(limit -> limit >= 25 && limit <= 80);
      assertThat(changes(damped)).isLessThan(changes(plain) / 2);
    }
  }

  @Test
  void theDampedControllerRestoresALimitIfFewerRequestsServeLess() {
    for (long seed = 1; seed <= 10; seed++) {
      List<Integer> limits = limits(new DampedBatchSize(), 1_000, seed, false);
      assertThat(limits.stream().filter(limit -> limit == 100).count())
          .as("most of the time the limit is the largest")
          .isGreaterThan(850);
    }
  }

  @Test
  void decisionsNameTheirReason() {
    DampedBatchSize controller = new DampedBatchSize();
    for (int i = 0; i < 20; i++) {
      assertThat(controller.next(seen(24, 64, 20, 0, 0, 0, 0.8)).isChange()).isFalse();
    }
    BatchSizeDecision fewer = controller.next(seen(24, 64, 24, 9, 412, 128, 0.8));
    assertThat(fewer.limit()).isEqualTo(18);
    assertThat(fewer.toString()).startsWith("24 -> 18").contains("31.1 %", "20.0 %", "412");
    BatchSizeDecision tested = controller.next(seen(18, 64, 18, 9, 412, 128, 0.8));
    assertThat(tested.isChange()).isFalse();
    assertThat(tested.reason()).contains("is measured");
    for (int i = 0; i < 5; i++) {
      tested = controller.next(seen(18, 64, 18, 9, 0, 0, 0.8, 90));
    }
    assertThat(tested.limit()).as("restored").isEqualTo(24);
    assertThat(tested.reason()).contains("90 tokens per second, 100 before");
    BatchSizeDecision more = controller.next(seen(18, 64, 18, 9, 0, 0, 0.8));
    assertThat(more.limit()).isEqualTo(19);
    assertThat(more.reason()).contains("9 requests wait");
    assertThat(controller.next(seen(19, 64, 12, 0, 0, 0, 0.8)).isChange()).isFalse();
    assertThat(controller.next(seen(19, 64, 19, 5, 0, 0, 0.99)).reason()).contains("99.0 %");
    assertThat(controller.next(seen(64, 64, 64, 5, 412, 300, 0.3)).isChange())
        .as("running requests use little memory")
        .isFalse();
  }

  @Test
  void thePlainRuleFollowsTheLastInterval() {
    ThresholdBatchSize rule = ThresholdBatchSize.DEFAULT;
    assertThat(rule.next(seen(10, 64, 10, 0, 100, 21, 0.5)).limit()).isEqualTo(8);
    assertThat(rule.next(seen(10, 64, 10, 0, 100, 20, 0.5)).limit()).isEqualTo(11);
    assertThat(rule.next(seen(10, 64, 10, 0, 100, 20, 0.9)).limit()).isEqualTo(10);
    assertThat(rule.next(seen(1, 64, 1, 0, 100, 90, 0.5)).limit()).isEqualTo(1);
    assertThat(rule.next(seen(64, 64, 64, 0, 0, 0, 0.5)).limit()).isEqualTo(64);
  }

  /** Room for everything, under a given pressure. */
  private static final class PressedMemory extends UnlimitedMemory {

    private MemoryPressure pressure = new MemoryPressure(0, 0, 0.5);
    private int waiting;
    private int changes;

    @Override
    public long held(ScheduledRequest<Integer> request) {
      return 1;
    }

    @Override
    public MemoryPressure pressure() {
      return pressure;
    }

    @Override
    public SchedulerObserver observer() {
      return new SchedulerObserver() {
        @Override
        public void step(int running, int queued, int preempted, int limit) {
          waiting = queued + preempted;
        }

        @Override
        public void decided(BatchSizeDecision decision) {
          changes += decision.isChange() ? 1 : 0;
        }
      };
    }
  }

  private final PressedMemory memory = new PressedMemory();
  private final Scheduler<Integer> scheduler =
      new Scheduler<>(
          SchedulerOptions.DEFAULTS, memory, PreemptionRules.LOWEST_PRIORITY, request -> {});
  private long now;

  private void step(int count) {
    for (int i = 0; i < count; i++) {
      now += SECOND / 4;
      scheduler.step(now);
      scheduler.completed(now);
    }
  }

  @Test
  void theLimitFollowsThePressureAndPreemptsNothing() {
    for (int i = 0; i < 300; i++) {
      scheduler.submit(new Submission<>(i, 1, 1_000, 1, null), now);
    }
    step(1);
    assertThat(scheduler.running()).isEqualTo(256);
    assertThat(scheduler.batchSize()).isEqualTo(256);
    for (int second = 0; second < 13; second++) {
      memory.pressure =
          new MemoryPressure(
              memory.pressure.evictions() + 1_000, memory.pressure.requestedAgain() + 500, 0.9);
      step(4);
    }
    assertThat(scheduler.batchSize()).isBetween(1, 192);
    assertThat(scheduler.running()).as("none is preempted").isEqualTo(256);
    assertThat(scheduler.preempted()).isZero();
    BatchSizeDecision last = scheduler.lastBatchSizeDecision();
    assertThat(last).isNotNull();
    assertThat(last.reason()).contains("is measured");
    assertThat(last.seen().running()).isEqualTo(256);
    assertThat(last.seen().evictions()).isEqualTo(1_000);
    assertThat(memory.waiting).isEqualTo(44);
    assertThat(memory.changes).isPositive();
  }

  @Test
  void aFixedBatchSizeIgnoresThePressure() {
    scheduler.batchSize(BatchSizeController.FIXED);
    scheduler.submit(new Submission<>(0, 1, 1_000, 1, null), now);
    memory.pressure = new MemoryPressure(1_000_000, 900_000, 1);
    step(40);
    assertThat(scheduler.batchSize()).isEqualTo(256);
    assertThat(scheduler.lastBatchSizeDecision()).isNotNull();
  }

  @Test
  void aMemoryThatDoesNotMeasureItsPressureGetsTheLargestBatch() {
    memory.pressure = MemoryPressure.UNKNOWN;
    scheduler.submit(new Submission<>(0, 1, 1_000, 1, null), now);
    step(40);
    assertThat(scheduler.batchSize()).isEqualTo(256);
    assertThat(scheduler.lastBatchSizeDecision()).isNull();
  }
}
