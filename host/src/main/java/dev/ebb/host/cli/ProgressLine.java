package dev.ebb.host.cli;

import dev.ebb.host.replay.ReplayProgress;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Progress with rate and time left: one line that is rewritten on a terminal, a new line every ten
 * seconds elsewhere. Goes to standard error, so that results can be piped.
 */
final class ProgressLine implements ReplayProgress, AutoCloseable {

  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long ELSEWHERE_NANOS = 10_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private Phase phase = Phase.DECODING;
  private long phaseStart = System.nanoTime();
  private long last = phaseStart;
  private boolean shown;

  /**
   * A line that shows nothing yet.
   *
   * @param terminal whether {@code out} is a terminal, whose line can be rewritten
   */
  ProgressLine(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A line on standard error; the launcher says whether that is a terminal. */
  static ProgressLine onStandardError() {
    return new ProgressLine(System.err, Boolean.getBoolean("ebb.terminal"));
  }

  @Override
  public synchronized void at(Phase now, double done, double total) {
    long nanos = System.nanoTime();
    if (now != phase) {
      phase = now;
      phaseStart = nanos;
      last = nanos;
    }
    if (nanos - last < (terminal ? TERMINAL_NANOS : ELSEWHERE_NANOS)) {
      return;
    }
    last = nanos;
    shown = true;
    String line = text(done, total, (nanos - phaseStart) / 1e9);
    if (terminal) {
      out.print("\r\033[K" + line);
      out.flush();
    } else {
      out.println(line);
    }
  }

  private String text(double done, double total, double seconds) {
    double rate = done / Math.max(1e-9, seconds);
    String what =
        switch (phase) {
          case DECODING ->
              total > 0
                  ? format("reading the trace %3.0f%%", 100 * done / total)
                  : format("reading the stream, %,.0f requests", done);
          case REPLAYING ->
              format(
                  "replaying %3.0f%%, %.1f million references a second",
                  100 * done / total, rate / 1e6);
        };
    return total > 0 && done > 0 ? what + format(", %s left", time((total - done) / rate)) : what;
  }

  private static String time(double seconds) {
    long whole = Math.round(seconds);
    return whole < 60 ? whole + " s" : format("%d min %02d s", whole / 60, whole % 60);
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  @Override
  public synchronized void close() {
    if (terminal && shown) {
      out.print("\r\033[K");
      out.flush();
    }
  }
}
