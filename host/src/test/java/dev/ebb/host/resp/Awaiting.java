package dev.ebb.host.resp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
final class Awaiting {

  private Awaiting() {}

  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it happens in time").isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
  }
}
