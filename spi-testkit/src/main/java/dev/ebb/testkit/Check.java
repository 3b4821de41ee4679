package dev.ebb.testkit;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One property of the contract, ready to run on one strategy.
 *
 * @since 1.0.0
 */
public final class Check {

  /** On a busy machine a running check may take so many times its limit. */
  private static final int BUSY = 4;

  private static final Duration SLICE = Duration.ofMillis(100);

  private final String name;
  private final long seed;
  private final Duration limit;
  private final Body body;

  Check(String name, long seed, Duration limit, Body body) {
    this.name = name;
    this.seed = seed;
    this.limit = limit;
    this.body = body;
  }

  /** The body of a check: returns a summary, or throws a {@link Violation}. */
  @FunctionalInterface
  interface Body {
    String run(long seed);
  }

  /**
   * Returns the property that is checked, for people.
   *
   * @return a short phrase, unique among the checks of one kind of strategy
   */
  public String name() {
    return name;
  }

  /**
   * Runs the check on a thread of its own. A strategy that never returns fails the check, and its
   * thread is interrupted and abandoned.
   *
   * @return the outcome; never throws for anything the strategy does
   */
  public Outcome run() {
    AtomicReference<Outcome> outcome = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform().daemon().name("check " + name).start(() -> outcome.set(judge()));
    boolean ended;
    try {
      ended = thread.join(limit) || endsLate(thread);
    } catch (InterruptedException e) {
      thread.interrupt();
      Thread.currentThread().interrupt();
      ended = false;
    }
    Outcome found = outcome.get();
    if (ended && found != null) {
      return found;
    }
    Violation overdue = overdue(thread.getStackTrace());
    thread.interrupt();
    return Outcome.failed(name, overdue, seed);
  }

  /** Waits for a thread that still runs, but has not had the processor for as long as its limit. */
  private boolean endsLate(Thread thread) throws InterruptedException {
    long slices = (BUSY - 1) * limit.dividedBy(SLICE);
    while (slices-- > 0
        && thread.getState() == Thread.State.RUNNABLE
        && ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId())
            < limit.toNanos()) {
      if (thread.join(SLICE)) {
        return true;
      }
    }
    return thread.getState() == Thread.State.TERMINATED;
  }

  private Outcome judge() {
    try {
      return Outcome.passed(name, body.run(seed), seed);
    } catch (Violation violation) {
      return Outcome.failed(name, violation, seed);
    } catch (Throwable thrown) {
      return Outcome.failed(
          name, Violation.thrown(Rule.NO_EXCEPTION, "the strategy", thrown), seed);
    }
  }

  private Violation overdue(StackTraceElement[] frames) {
    String where = frames.length == 0 ? "" : ", last seen in " + frames[0];
    return new Violation(Rule.RETURNS, "not done after " + limit.toSeconds() + " s" + where);
  }

  @Override
  public String toString() {
    return name;
  }
}
