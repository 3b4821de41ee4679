package dev.ebb.host.policy;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.UntrustedText;
import dev.ebb.host.plugin.Lease;
import dev.ebb.spi.Background;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background tasks of one strategy's instance, one at a time. Each runs on a thread of its own,
 * so that none keeps another from running, and keeps its plugin loaded until it ends.
 */
final class BackgroundTasks implements Background {

  /** In a replay, a task runs after so many events. */
  static final int EVENTS = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTasks.class);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
  private static final Duration REPLAY_LIMIT = Duration.ofMinutes(5);

  private final String strategy;
  private final boolean synchronous;
  private final Supplier<@Nullable Lease> leases;
  private volatile @Nullable Task<?> task;
  private volatile boolean closed;
  private int events;
  private long failures;

  /**
   * Creates an executor without tasks.
   *
   * @param strategy its name, for threads and messages
   * @param synchronous whether the policy waits for each task, so that a replay can be repeated
   * @param leases keep the plugin loaded; null if it is unloaded
   */
  BackgroundTasks(String strategy, boolean synchronous, Supplier<@Nullable Lease> leases) {
    this.strategy = strategy;
    this.synchronous = synchronous;
    this.leases = leases;
  }

  /** Runs a call of a plugin. Holds nothing of the plugin after its result is handed back. */
  private static final class Task<T> implements Runnable {
    private final Consumer<? super T> done;
    private @Nullable Callable<T> call;
    private @Nullable Thread thread;
    private @Nullable T result;
    private String failure = "";
    private volatile boolean ended;

    Task(Callable<T> call, Consumer<? super T> done) {
      this.call = call;
      this.done = done;
    }

    void start(String name, Lease lease) {
      Thread started =
          Thread.ofPlatform()
              .daemon()
              .inheritInheritableThreadLocals(false)
              .name(name)
              .unstarted(() -> {
                try (lease) {
                  run();
                }
              });
      started.setContextClassLoader(requireNonNull(call).getClass().getClassLoader());
      thread = started;
      started.start();
    }

    @Override
    public void run() {
      try {
        result = requireNonNull(requireNonNull(call).call(), "the task returned null");
      } catch (Throwable thrown) {
        failure = UntrustedText.of(thrown);
      } finally {
        call = null;
        Thread.currentThread().setContextClassLoader(null);
        ended = true;
      }
    }

    void interrupt() {
      Thread running = thread;
      if (running != null) {
        running.interrupt();
      }
    }

    /** Waits for the end of a started task. Returns false if it has not ended in time. */
    boolean await(Duration limit) {
      try {
        return thread == null || thread.join(limit);
      } catch (InterruptedException abandoned) {
        Thread.currentThread().interrupt();
        return ended;
      }
    }

    void handBack() {
      done.accept(requireNonNull(result));
    }
  }

  @Override
  public synchronized <T> boolean submit(Callable<T> call, Consumer<? super T> done) {
    if (closed || task != null) {
      return false;
    }
    Task<T> next = new Task<>(call, done);
    events = 0;
    if (!synchronous && !start(next)) {
      return false;
    }
    task = next;
    return true;
  }

  private boolean start(Task<?> next) {
    Lease lease = leases.get();
    if (lease == null) {
      return false;
    }
    next.start("ebb-background-" + strategy, lease);
    return true;
  }

  /** Hands the result of a task back, if it has ended. Called before each event. */
  void betweenEvents() {
    Task<?> current = task;
    if (current == null) {
      return;
    }
    if (synchronous && ++events == EVENTS) {
      runNow(current);
    }
    if (current.ended) {
      task = null;
      handBack(current);
    }
  }

  private void runNow(Task<?> current) {
    if (start(current) && !current.await(REPLAY_LIMIT)) {
      current.interrupt();
      throw new IllegalStateException(
          "a background task did not end within %d s".formatted(REPLAY_LIMIT.toSeconds()));
    }
  }

  private void handBack(Task<?> ended) {
    if (ended.failure.isEmpty()) {
      ended.handBack();
    } else if (synchronous) {
      throw new IllegalStateException("a background task failed: " + ended.failure);
    } else if (Long.bitCount(++failures) == 1) {
      // A task that always fails must not fill the log.
      LOG.warn(
          "background task failed policy={} failures={} reason=\"{}\"",
          strategy,
          failures,
          ended.failure);
    }
  }

  /** Interrupts the running task, and accepts no others. */
  void cancel() {
    closed = true;
    Task<?> current = task;
    if (current != null) {
      current.interrupt();
    }
  }

  /** Does the same, and waits for its end. A task that does not end is abandoned. */
  void close() {
    cancel();
    Task<?> current = task;
    task = null;
    if (current != null && !current.await(CLOSE_LIMIT)) {
      requireNonNull(current.thread).setName("ebb-background-abandoned-" + strategy);
      LOG.warn(
          "background task abandoned policy={} reason=\"it did not end within {} s of an"
              + " interrupt; its plugin stays loaded until it ends\"",
          strategy,
          CLOSE_LIMIT.toSeconds());
    }
  }
}
