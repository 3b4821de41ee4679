package dev.ebb.host.plugin;

import java.time.Duration;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Calls plugin code that may never return, each call on a thread of its own, so that the caller can
 * go on. As long as a call has not returned, its plugin is not called again.
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
   * Runs the call.
   *
   * @param plugin the owner, which is not called again before this call has returned
   * @return the result of the call
   * @throws TimeoutException if it did not return in time, or an earlier one has not yet; the stack
   *     trace is that of the call
   */
  // A plugin may wrongly return null; the caller checks that.
  @SuppressWarnings({"unchecked", "NullAway"})
  static <T> T run(Duration limit, Object plugin, @Nullable ClassLoader loader, Callable<T> call)
      throws Throwable {
    Thread lost = lost(plugin);
    if (lost != null) {
      throw late("an earlier call of it has not returned yet", lost);
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

  /**
   * Waits for the thread, and keeps an interrupt for later: the plugin's call is not lost by it.
   */
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
