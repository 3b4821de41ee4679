package dev.ebb.host.cache.execution;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts how long a thread has waited for a policy that makes no progress, in slices of the
 * deadline. A slice counts once however long it took, so that a process that was suspended does not
 * blame the policy.
 */
final class StallDetector {

  private static final int SLICES = 8;

  /** A policy's thread without processor time is not at fault, but the wait is limited. */
  private static final int TURNS = 20;

  /** The limit for a thread that is ready to run, but had no processor while in the policy. */
  private static final int STARVED_TURNS = 10;

  private final long sliceNanos;
  private @Nullable PolicyThread watched;
  private long beats;
  private int inPolicy;
  private long cpuNanos;
  private int all;

  StallDetector(long deadlineNanos) {
    sliceNanos = Math.max(TimeUnit.MICROSECONDS.toNanos(100), deadlineNanos / SLICES);
  }

  long sliceNanos() {
    return sliceNanos;
  }

  void waited(PolicyThread thread, boolean whole) {
    long now = thread.beats();
    if (thread != watched || now != beats) {
      watched = thread;
      beats = now;
      inPolicy = 0;
      all = 0;
    } else if (whole) {
      all++;
      if (PolicyThread.inPolicy(now) && inPolicy++ == 0) {
        cpuNanos = thread.cpuNanos();
      }
    }
  }

  boolean isOver(PolicyThread thread) {
    return thread == watched
        && inPolicy >= SLICES
        && (inPolicy >= SLICES * STARVED_TURNS || !isStarved(thread));
  }

  /** Returns whether the thread is ready to run but gets no processor on a busy machine. */
  private boolean isStarved(PolicyThread thread) {
    return thread.wantsProcessor() && thread.cpuNanos() - cpuNanos < SLICES * sliceNanos / 4;
  }

  /** Returns whether its thread got no processor for much longer than that. */
  boolean isStalled(PolicyThread thread) {
    return thread == watched && all >= SLICES * TURNS;
  }
}
