package dev.ebb.llama.generate;

import dev.ebb.llama.binding.LlamaContext;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Ends an answer when the process is asked to exit. The process waits until llama.cpp's objects are
 * closed: while it computes, nothing may be freed.
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

  /** Sets the computation to stop, immediately if the process is exiting already. */
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

  /** Lets the process exit, once everything is closed. */
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
