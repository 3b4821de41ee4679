package dev.ebb.host.cli.serve;

import dev.ebb.host.cli.output.StopReport;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Exits a process that was stopped but does not end. Closing can wait for a machine that is
 * overloaded, and supervisors kill a process after 30 or 90 seconds. A plugin can register a
 * shutdown hook that never returns, and the JVM would wait for it.
 */
public final class ShutdownWatchdog {

  static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(25);
  private static final Duration HOOK_TIMEOUT = Duration.ofSeconds(5);

  private ShutdownWatchdog() {}

  /** Watches a process that was told to stop. It does not affect one that ends in time. */
  public static void start(
      PrintWriter err, Thread closes, CountDownLatch closed, Duration closeTimeout) {
    int exitCode = StopReport.exitCode();
    Thread.ofPlatform()
        .daemon()
        .name("ebb-last-resort")
        .start(() -> {
          if (!endsWithin(closeTimeout, closed)) {
            halt(err, late(closes, closeTimeout), exitCode);
          }
          // Ends only if the JVM does.
          endsWithin(HOOK_TIMEOUT, new CountDownLatch(1));
          halt(
              err,
              "a shutdown hook of a plugin did not end within %d s; the process ends without it"
                  .formatted(HOOK_TIMEOUT.toSeconds()),
              exitCode);
        });
  }

  private static boolean endsWithin(Duration timeout, CountDownLatch latch) {
    try {
      return latch.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException byAPlugin) {
      // Then the process exits earlier.
      return false;
    }
  }

  private static String late(Thread closes, Duration timeout) {
    String where =
        Arrays.stream(closes.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith("dev.ebb."))
            .findFirst()
            .map(frame -> ", at %s.%s".formatted(frame.getClassName(), frame.getMethodName()))
            .orElse("");
    return "not closed within %d s%s; the process ends nevertheless"
        .formatted(timeout.toSeconds(), where);
  }

  private static void halt(PrintWriter err, String reason, int exitCode) {
    try {
      StopReport.print(err, reason);
    } finally {
      Runtime.getRuntime().halt(exitCode);
    }
  }
}
