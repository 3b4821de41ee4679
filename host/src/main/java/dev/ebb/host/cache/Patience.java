package dev.ebb.host.cache;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long somebody waits for a policy: the deadline, counted while the policy makes no progress,
 * in slices. A slice counts once however long it took, so that a process that stood still does not
 * blame the policy.
 */
final class Patience {

  private static final int SLICES = 8;

  /** A policy's thread that gets no turn is not at fault; but nobody waits for ever. */
  private static final int TURNS = 20;

  private final long sliceNanos;
  private @Nullable PolicyThread watched;
  private long beats;
  private int inPolicy;
  private int all;

  Patience(long deadlineNanos) {
    sliceNanos = Math.max(TimeUnit.MICROSECONDS.toNanos(100), deadlineNanos / SLICES);
  }

  long sliceNanos() {
    return sliceNanos;
  }

  /**
   * Notes a wait for a thread.
   *
   * @param whole whether it lasted a slice
   */
  void waited(PolicyThread thread, boolean whole) {
    long now = thread.beats();
    if (thread != watched || now != beats) {
      watched = thread;
      beats = now;
      inPolicy = 0;
      all = 0;
    } else if (whole) {
      all++;
      inPolicy += PolicyThread.inPolicy(now) ? 1 : 0;
    }
  }

  /** Whether the policy has overrun the deadline. */
  boolean isOver(PolicyThread thread) {
    return thread == watched && inPolicy >= SLICES;
  }

  /** Whether its thread got no turn for much longer than that. */
  boolean isStalled(PolicyThread thread) {
    return thread == watched && all >= SLICES * TURNS;
  }
}
