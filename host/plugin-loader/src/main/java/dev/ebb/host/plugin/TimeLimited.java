package dev.ebb.host.plugin;

import java.time.Duration;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls plugin code that may never come back, each call on a thread of its own: whoever asks goes
 * on after a while. As long as a call has not returned, its plugin is not called again.
 */
final class TimeLimited {

  private static final Map<Object, Thread> LOST = new WeakHashMap<>();

  private final Callable<?> call;
  private volatile @Nullable Object result;
  private volatile @Nullable Throwable thrown;

  private TimeLimited(Callable<?> call) {
    this.call = call;
  }

  /**
   * Calls it.
   *
   * @param limit how long to wait
   * @param plugin what is not called again before this call has returned
   * @param loader the thread's context class loader meanwhile
   * @return what the call returned
   * @throws TimeoutException if it did not in time, or one before it has not yet; the stack trace
   *     is that of the call
   * @throws Throwable what it threw
   */
  // A plugin may return null where it must not; that is for the caller to find.
  @SuppressWarnings({"unchecked", "NullAway"})
  static <T> T run(Duration limit, Object plugin, @Nullable ClassLoader loader, Callable<T> call)
      throws Throwable {
    Thread lost = lost(plugin);
    if (lost != null) {
      throw late("an earlier call has not returned yet, and nothing of it is called before", lost);
    }
    TimeLimited bounded = new TimeLimited(call);
    Thread thread = Thread.ofPlatform().daemon().name(PluginCall.THREAD).unstarted(bounded::run);
    thread.setContextClassLoader(loader);
    thread.start();
    if (!join(thread, limit)) {
      TimeoutException late =
          late("it did not return within %d s".formatted(limit.toSeconds()), thread);
      remember(plugin, thread);
      thread.interrupt();
      throw late;
    }
    Throwable failure = bounded.thrown;
    if (failure != null) {
      throw failure;
    }
    return (T) bounded.result;
  }

  private void run() {
    try {
      result = call.call();
    } catch (Throwable failure) {
      thrown = failure;
    }
    synchronized (LOST) {
      LOST.values().remove(Thread.currentThread());
    }
  }

  /** An interrupt of who waits is kept for later: the plugin's call is not lost by it. */
  private static boolean join(Thread thread, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return thread.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static TimeoutException late(String what, Thread where) {
    TimeoutException late = new TimeoutException(what);
    late.setStackTrace(where.getStackTrace());
    return late;
  }

  private static @Nullable Thread lost(Object plugin) {
    synchronized (LOST) {
      Thread thread = LOST.get(plugin);
      return thread == null || !thread.isAlive() ? null : thread;
    }
  }

  private static void remember(Object plugin, Thread thread) {
    synchronized (LOST) {
      LOST.put(plugin, thread);
    }
  }
}
