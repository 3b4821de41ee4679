package dev.ebb.host.cli;

import java.io.PrintStream;

/**
 * How it goes: one line that is rewritten on a terminal, a new line every ten seconds elsewhere.
 * Goes to standard error, so that results can be piped. For one thread at a time.
 */
final class StatusLine implements AutoCloseable {

  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long ELSEWHERE_NANOS = 10_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private long last = System.nanoTime();
  private boolean shown;

  /**
   * A line that shows nothing yet.
   *
   * @param terminal whether {@code out} is a terminal, whose line can be rewritten
   */
  StatusLine(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A line on standard error; the launcher says whether that is a terminal. */
  static StatusLine onStandardError() {
    return new StatusLine(System.err, Boolean.getBoolean("ebb.terminal"));
  }

  /** Something else begins, of which nothing is shown at first. */
  void restart(long nanos) {
    last = nanos;
  }

  /** Whether it is time to show something again. */
  boolean due(long nanos) {
    return nanos - last >= (terminal ? TERMINAL_NANOS : ELSEWHERE_NANOS);
  }

  void show(long nanos, String line) {
    last = nanos;
    shown = true;
    if (terminal) {
      out.print("\r\033[K" + line);
      out.flush();
    } else {
      out.println(line);
    }
  }

  /** Makes room for other output. */
  void clear() {
    if (terminal && shown) {
      out.print("\r\033[K");
      out.flush();
    }
  }

  @Override
  public void close() {
    clear();
  }
}
