package dev.ebb.host.cache;

import java.util.concurrent.locks.Condition;

/** Waits that an interrupt does not end. */
final class Uninterruptibles {

  private Uninterruptibles() {}

  /**
   * Waits for a signal, or for a time. The caller looks again at everything, in a loop.
   *
   * @return whether the whole time went by
   */
  @SuppressWarnings("WaitNotInLoop")
  static boolean slice(Condition condition, long nanos) {
    boolean interrupted = false;
    long left = nanos;
    try {
      while (true) {
        try {
          left = condition.awaitNanos(left);
          return left <= 0;
        } catch (InterruptedException wasInterrupted) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
