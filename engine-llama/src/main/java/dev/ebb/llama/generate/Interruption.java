package dev.ebb.llama.generate;

import dev.ebb.llama.binding.LlamaContext;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends an answer when the process is asked to end. The process waits until what llama.cpp has been
 * given is closed: while it computes, nothing may be taken away from under it.
 */
final class Interruption implements AutoCloseable {

  private static final int MOST_SECONDS = 10;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook = new Thread(this::end, "shutdown");
  private boolean asked;
  private @Nullable LlamaContext context;

  Interruption() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Says what is to be stopped.
   *
   * @param opened the computation; stopped at once if the process is ending already
   */
  synchronized void ends(LlamaContext opened) {
    context = opened;
    if (asked) {
      opened.stop();
    }
  }

  private synchronized void stop() {
    asked = true;
    if (context != null) {
      context.stop();
    }
  }

  private void end() {
    stop();
    try {
      closed.await(MOST_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** All is closed; the process may end. */
  @Override
  public synchronized void close() {
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      asked = true;
    }
  }
}
