package dev.ebb.host.resp;

import java.util.function.BooleanSupplier;

/** Waits for what other threads do; a test that waits for ever has failed. */
final class Awaiting {

  private Awaiting() {}

  static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }
}
