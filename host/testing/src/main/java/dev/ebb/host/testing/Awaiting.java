package dev.ebb.host.testing;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for what happens some time soon. */
public final class Awaiting {

  private static final long PATIENCE_SECONDS = 120;

  private Awaiting() {}

  /** Returns when it has happened; fails if it does not within two minutes. */
  public static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it did not happen within %d s".formatted(PATIENCE_SECONDS));
      }
      try {
        Thread.sleep(10);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError(interrupted);
      }
    }
  }
}
