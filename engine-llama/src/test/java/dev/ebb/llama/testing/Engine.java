package dev.ebb.llama.testing;

import dev.ebb.host.errors.UserError;
import dev.ebb.llama.binding.Llama;
import org.junit.jupiter.api.Assumptions;

/** Whether llama.cpp runs on this machine. */
public final class Engine {

  private Engine() {}

  /** Skips a test, with the reason, where it does not. */
  public static void assumeRuns() {
    try {
      Llama.load();
    } catch (UserError cannot) {
      Assumptions.abort(String.valueOf(cannot.getMessage()));
    }
  }
}
