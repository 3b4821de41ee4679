package dev.ebb.host.testing;

import java.util.concurrent.TimeUnit;

/** Waits for a condition. */
public final class Awaiting {

  private static final long LIMIT_SECONDS = 120;

  private Awaiting() {}

  /** A condition; an exception fails the test. */
  @FunctionalInterface
  public interface Condition {
    boolean isTrue() throws Exception;
  }

  /** Returns when the condition is true; fails after two minutes. */
  public static void until(Condition condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    while (!isTrue(condition)) {
      if (System.nanoTime() > end) {
        throw new AssertionError("the condition was not met within %d s".formatted(LIMIT_SECONDS));
      }
      pause();
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

  /** Gives other threads 10 ms, between two tries of a loop that has a bound of its own. */
  public static void pause() {
    try {
      Thread.sleep(10);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }
}
