package dev.ebb.host.scheduler;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Asks a controller for the batch size once in an interval. */
final class BatchControl {

  static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final int most;
  private BatchSizeController controller = new DampedBatchSize();
  private int limit;
  private @Nullable BatchSizeDecision last;
  private MemoryPressure before = MemoryPressure.UNKNOWN;
  private boolean started;
  private long since;
  private long preemptions;
  private long servedTokens;

  BatchControl(int most) {
    this.most = most;
    limit = most;
  }

  void controller(BatchSizeController next) {
    controller = next;
  }

  int limit() {
    return limit;
  }

  @Nullable BatchSizeDecision last() {
    return last;
  }

  void preempted() {
    preemptions++;
  }

  /** Records tokens that were generated, or whose prompt was completed for the first time. */
  void served(int tokens) {
    servedTokens += tokens;
  }

  /** Returns whether a decision is due. */
  boolean isDue(long now) {
    if (!started) {
      started = true;
      since = now;
      return true;
    }
    return now - since >= INTERVAL_NANOS;
  }

  void decide(long now, MemoryPressure pressure, int running, int queued, int waitingAgain) {
    if (Double.isNaN(pressure.occupancy()) || now == since) {
      before = pressure;
      return;
    }
    BatchSizeDecision decision =
        controller.next(
            new BatchObservation(
                now,
                (now - since) / 1e9,
                limit,
                most,
                running,
                queued,
                waitingAgain,
                preemptions,
                servedTokens,
                pressure.evictions() - before.evictions(),
                pressure.requestedAgain() - before.requestedAgain(),
                pressure.occupancy()));
    last = decision;
    limit = Math.clamp(decision.limit(), 1, most);
    before = pressure;
    since = now;
    preemptions = 0;
    servedTokens = 0;
  }
}
