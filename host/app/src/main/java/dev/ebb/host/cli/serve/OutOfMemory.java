package dev.ebb.host.cli.serve;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;

/**
 * Exits a serving process after an OutOfMemoryError, so that its supervisor starts another. The
 * launcher makes the JVM do it, {@code -XX:+ExitOnOutOfMemoryError}. This is for a process started
 * without the launcher, and for memory outside the heap.
 */
public final class OutOfMemory {

  /** The exit status that the JVM itself uses. */
  public static final int EXIT_CODE = 3;

  /** Created in advance: no memory may be left then. */
  private static final byte[] MESSAGE =
      ("ebb: out of memory; the process ends with status %d so that it is started again. Give the"
              + " heap more with -Xmx, or make ebb.pool.size smaller\n")
          .formatted(EXIT_CODE)
          .getBytes(StandardCharsets.UTF_8);

  private static final CountDownLatch ENDING = new CountDownLatch(1);
  private static final long REPORT_MILLIS = 1_000;

  private OutOfMemory() {}

  /** Watches every thread that has no handler of its own. */
  static void endsProcess() {
    Thread.ofPlatform().daemon().name("ebb-out-of-memory").start(OutOfMemory::haltLater);
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
      if (thrown instanceof OutOfMemoryError) {
        end();
      } else if (before != null) {
        before.uncaughtException(thread, thrown);
      } else {
        System.err.print("Exception in thread \"" + thread.getName() + "\" ");
        thrown.printStackTrace();
      }
    });
  }

  /** Ends the process even if nobody reads its standard error. Started in advance, as above. */
  private static void haltLater() {
    while (ENDING.getCount() > 0) {
      try {
        ENDING.await();
        Thread.sleep(REPORT_MILLIS);
      } catch (InterruptedException byAPlugin) {
        // Only an OutOfMemoryError ends the process.
      }
    }
    Runtime.getRuntime().halt(EXIT_CODE);
  }

  private static void end() {
    ENDING.countDown();
    try {
      System.err.write(MESSAGE, 0, MESSAGE.length);
      System.err.flush();
    } finally {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
  }
}
