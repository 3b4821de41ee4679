package dev.ebb.host.cache;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts how long a thread has waited for a policy that makes no progress, in slices of the
 * deadline. A slice counts once however long it took, so that a process that was suspended does not
 * blame the policy.
 */
final class StallDetector {

  private static final int SLICES = 8;

  /** A policy's thread that gets no turn is not at fault; but nobody waits for ever. */
  private static final int TURNS = 20;

  /** One that would run, and had no processor for so long while it was in the policy. */
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
      if (PolicyThread.inPolicy(now) && inPolicy++ == 0) {
        cpuNanos = thread.cpuNanos();
      }
    }
  }

  /** Whether the policy has overrun the deadline. */
  boolean isOver(PolicyThread thread) {
    return thread == watched
        && inPolicy >= SLICES
        && (inPolicy >= SLICES * STARVED_TURNS || !isStarved(thread));
  }

  /**
   * On a busy machine a thread that would run gets no processor, which is no fault of the policy.
   */
  private boolean isStarved(PolicyThread thread) {
    return thread.wantsProcessor() && thread.cpuNanos() - cpuNanos < SLICES * sliceNanos / 4;
  }

  /** Whether its thread got no turn for much longer than that. */
  boolean isStalled(PolicyThread thread) {
    return thread == watched && all >= SLICES * TURNS;
  }
}
