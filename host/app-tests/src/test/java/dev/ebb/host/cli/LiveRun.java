package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;

/** A run of the command line that goes on, on a thread of its own. */
final class LiveRun {

  private static final long TIMEOUT_MILLIS = 60_000;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Thread thread;
  private volatile int exitCode = -1;

  private LiveRun(String... args) {
    thread =
        new Thread(
            () ->
                exitCode =
                    EbbMain.run(new PrintWriter(out, true), new PrintWriter(err, true), args),
            "live-run");
  }

  static LiveRun of(String... args) {
    LiveRun run = new LiveRun(args);
    run.thread.start();
    return run;
  }

  /** Waits until it has written something, as often as said. */
  LiveRun awaitOut(String part, int times) {
    long end = System.currentTimeMillis() + TIMEOUT_MILLIS;
    while (out.toString().split(Pattern.quote(part), -1).length <= times) {
      assertThat(System.currentTimeMillis()).as("out: %s, err: %s", out, err).isLessThan(end);
      assertThat(thread.isAlive()).as("out: %s, err: %s", out, err).isTrue();
      Awaiting.pause();
    }
    return this;
  }

  /** What Ctrl-C does. */
  LiveRun interrupt() {
    thread.interrupt();
    return this;
  }

  /** Waits for its end. */
  Run end() throws InterruptedException {
    thread.join(TIMEOUT_MILLIS);
    assertThat(thread.isAlive()).as("it did not end").isFalse();
    return new Run(exitCode, out.toString(), err.toString());
  }
}
