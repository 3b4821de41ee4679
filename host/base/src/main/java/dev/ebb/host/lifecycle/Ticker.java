package dev.ebb.host.lifecycle;

import dev.ebb.host.errors.LogThrottle;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task with pauses on a thread of its own. An exception is logged and ends nothing; neither
 * does an interrupt, because a plugin can interrupt any thread.
 */
public final class Ticker implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Ticker.class);

  private final String name;
  private final LogThrottle failures = new LogThrottle();
  private final ScheduledExecutorService executor;

  /** Starts with a pause. */
  public Ticker(String name, Duration pause, Runnable task) {
    this(name, pause, pause, task);
  }

  /** Starts with another pause than the later ones. */
  public Ticker(String name, Duration first, Duration pause, Runnable task) {
    this.name = name;
    executor =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
    // The task ends with its executor and logs failures itself.
    var _ =
        executor.scheduleWithFixedDelay(
            () -> run(task), first.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException failed) {
      failures.log(before -> LOG.error("task failed thread={} omitted={}", name, before, failed));
    } catch (Error failed) {
      // As on any other thread: without memory the process ends. The executor would hide it.
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failed);
    }
  }

  /** Runs a last task, and returns whether it ended in time. */
  public boolean close(Runnable last, Duration most) {
    executor.execute(() -> run(last));
    executor.shutdown();
    return isOver(most);
  }

  /** Interrupts the task, and returns whether it ended in time. */
  public boolean close(Duration most) {
    close();
    return isOver(most);
  }

  private boolean isOver(Duration most) {
    long end = System.nanoTime() + most.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return executor.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException again) {
          // The task must not outlive what it uses.
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Interrupts the task, and does not wait for its end. */
  @Override
  public void close() {
    executor.shutdownNow();
  }
}
