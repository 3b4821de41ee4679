package dev.ebb.host.testing;

import java.util.concurrent.TimeUnit;

/** Waits for a condition. */
public final class Awaiting {

  private static final long LIMIT_SECONDS = 120;
  private static final long SHORTEST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 50;

  private Awaiting() {}

  /** A condition; an exception fails the test. */
  @FunctionalInterface
  public interface Condition {
    boolean isTrue() throws Exception;
  }

  /** Returns when the condition is true; fails after two minutes. */
  public static void until(Condition condition) {
    long start = System.nanoTime();
    while (!isTrue(condition)) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
        throw new AssertionError("the condition was not met within %d s".formatted(LIMIT_SECONDS));
      }
      pauseSince(start);
    }
  }

  private static boolean isTrue(Condition condition) {
    try {
      return condition.isTrue();
    } catch (RuntimeException failed) {
      throw failed;
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  /**
   * Pauses between two tries: a tenth of the time that was waited already, within bounds. Asking
   * takes time of the processor that the awaited work needs.
   *
   * @param startNanos the time of the first try
   */
  static void pauseSince(long startNanos) {
    long tenth = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos) / 10;
    pause(Math.clamp(tenth, SHORTEST_PAUSE_MILLIS, LONGEST_PAUSE_MILLIS));
  }

  /** Gives other threads 10 ms, between two tries of a loop that has a bound of its own. */
  public static void pause() {
    pause(SHORTEST_PAUSE_MILLIS);
  }

  /** Gives other threads some time; an interrupt fails the test. */
  public static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }
}
