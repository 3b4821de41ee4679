package dev.ebb.host.cli.output;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Reports, in a shutdown hook, why the process ends. */
public final class StopReport {

  private static final Duration TIME = Duration.ofSeconds(1);

  /** The JVM stops on a thread named after the signal. */
  private static final Map<String, Integer> SIGNALS =
      Map.of("SIGHUP", 1, "SIGINT", 2, "SIGTERM", 15);

  private static final int TERMINATED = 15;

  private StopReport() {}

  /** Returns the reason, as a text for a log. */
  public static String reason() {
    return signal()
        .map(name -> "stopping, because the process received " + name)
        .orElse("stopping, because code in the process called exit");
  }

  /** Returns the exit code of a process that a signal ends. */
  public static int exitCode() {
    return 128 + signal().map(SIGNALS::get).orElse(TERMINATED);
  }

  private static Optional<String> signal() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(thread -> thread.getName().replace(" handler", ""))
        .filter(SIGNALS::containsKey)
        .findFirst();
  }

  /** Logs a message, and does not wait long for a pipe that nobody reads. */
  public static void print(PrintWriter err, String message) {
    String line = ServerLog.line("serve", message);
    Thread report =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              err.println(line);
              err.flush();
            });
    try {
      report.join(TIME);
    } catch (InterruptedException byAPlugin) {
      // Then the line may be missing.
    }
  }
}
