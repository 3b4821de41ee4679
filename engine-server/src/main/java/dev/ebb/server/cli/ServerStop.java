package dev.ebb.server.cli;

import dev.ebb.host.cli.output.StopReport;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits for the end of a server, and lets the process exit only after the server is closed. */
public final class ServerStop implements AutoCloseable {

  private static final int CLOSING_SECONDS = 10;

  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean failed;

  /**
   * Listens to signals from now on. Before, a signal ends the process immediately.
   *
   * @param err receives the reason
   */
  public void listen(PrintWriter err) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> signalled(err), "shutdown"));
  }

  private void signalled(PrintWriter err) {
    if (closed.getCount() > 0) {
      StopReport.print(err, StopReport.reason());
    }
    stopped.countDown();
    try {
      closed.await(CLOSING_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException impatient) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the server because it has failed. */
  public void fail() {
    failed = true;
    stopped.countDown();
  }

  /** Returns whether the server has failed. */
  public boolean failed() {
    return failed;
  }

  /** Waits despite interrupts, because a plugin can interrupt any thread. */
  public void await() {
    while (stopped.getCount() > 0) {
      try {
        stopped.await();
      } catch (InterruptedException byAPlugin) {
        // Only a signal stops the server.
      }
    }
  }

  /** Lets the process exit. */
  @Override
  public void close() {
    closed.countDown();
  }
}
