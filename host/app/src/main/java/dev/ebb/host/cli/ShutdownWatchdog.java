package dev.ebb.host.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;

/**
 * Exits a process that was stopped but does not end. A plugin can register a shutdown hook that
 * never returns, and the JVM would wait for it.
 */
final class ShutdownWatchdog {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final Duration REPORT_TIME = Duration.ofSeconds(1);

  /** The JVM stops on a thread named after the signal; others stop it by SIGTERM. */
  private static final Map<String, Integer> SIGNALS =
      Map.of("SIGHUP handler", 1, "SIGINT handler", 2, "SIGTERM handler", 15);

  private ShutdownWatchdog() {}

  /**
   * Starts the watchdog, once everything of the host is closed. It does not affect hooks that end
   * in time.
   */
  static void start(PrintWriter err) {
    int exitCode = 128 + signal();
    Thread.ofPlatform().daemon().name("ebb-last-resort").start(() -> halt(err, exitCode));
  }

  private static int signal() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(SIGNALS::containsKey)
        .findFirst()
        .map(SIGNALS::get)
        .orElse(15);
  }

  private static void report(PrintWriter err) {
    err.println(
        "ebb: a shutdown hook of a plugin did not end within %d s; the process ends without it"
            .formatted(TIMEOUT.toSeconds()));
    err.flush();
  }

  private static void halt(PrintWriter err, int exitCode) {
    try {
      Thread.sleep(TIMEOUT);
    } catch (InterruptedException byAPlugin) {
      // Then it exits earlier.
    }
    // Standard error may be a pipe that nobody reads.
    Thread report = Thread.ofPlatform().daemon().start(() -> report(err));
    try {
      report.join(REPORT_TIME);
    } catch (InterruptedException byAPlugin) {
      // Then the report is missing.
    }
    Runtime.getRuntime().halt(exitCode);
  }
}
