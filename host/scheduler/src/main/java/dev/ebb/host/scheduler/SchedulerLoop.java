package dev.ebb.host.scheduler;

import static java.util.Objects.requireNonNull;

/** The loop of an engine: receives requests, and computes the steps that the scheduler plans. */
public final class SchedulerLoop<P> {

  private final Scheduler<P> scheduler;
  private final BatchEngine<P> engine;

  /** Creates a loop; {@link #run} starts it. */
  public SchedulerLoop(Scheduler<P> scheduler, BatchEngine<P> engine) {
    this.scheduler = requireNonNull(scheduler, "scheduler is null");
    this.engine = requireNonNull(engine, "engine is null");
  }

  /** Runs until the engine's {@link BatchEngine#await} returns false. */
  public void run() {
    boolean more = true;
    while (more) {
      more = step();
    }
  }

  private boolean step() {
    engine.receive(scheduler);
    Batch<P> batch = scheduler.step(engine.now());
    if (batch.isEmpty()) {
      return engine.await(scheduler.nanosToTimeout(engine.now()));
    }
    engine.compute(batch);
    scheduler.completed(engine.now());
    return true;
  }
}
