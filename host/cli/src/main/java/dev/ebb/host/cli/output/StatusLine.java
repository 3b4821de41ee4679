package dev.ebb.host.cli.output;

import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.errors.UserError;
import java.io.PrintStream;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A progress line, rewritten on a terminal, and a new line every ten seconds elsewhere. Goes to
 * standard error, so that results can be piped. For one thread at a time.
 */
public final class StatusLine implements AutoCloseable {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final long TERMINAL_NANOS = 200_000_000L;
  private static final long ELSEWHERE_NANOS = 10_000_000_000L;

  private final PrintStream out;
  private final boolean terminal;
  private long last = System.nanoTime();
  private boolean shown;

  /**
   * Creates an empty line.
   *
   * @param terminal whether {@code out} is a terminal, whose line can be rewritten
   */
  public StatusLine(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Returns a line on standard error; the launcher says whether that is a terminal. */
  public static StatusLine onStandardError() {
    return new StatusLine(System.err, Boolean.getBoolean("ebb.terminal"));
  }

  /**
   * Reads a state until it is the last one, and shows the progress meanwhile.
   *
   * @throws UserError if the thread is interrupted
   */
  public static <T> T follow(Supplier<T> read, Predicate<T> isLast, Function<T, String> progress) {
    try (StatusLine line = onStandardError()) {
      while (true) {
        T now = read.get();
        if (isLast.test(now)) {
          return now;
        }
        line.update(() -> progress.apply(now));
        if (!ServerOptions.pause(POLL)) {
          throw new UserError("interrupted; the server continues");
        }
      }
    }
  }

  /** Starts another phase, of which nothing is shown at first. */
  public void restart(long nanos) {
    last = nanos;
  }

  /** Shows the progress if it is time to do it again. */
  public void update(Supplier<String> progress) {
    long now = System.nanoTime();
    if (now - last >= (terminal ? TERMINAL_NANOS : ELSEWHERE_NANOS)) {
      last = now;
      show(progress.get());
    }
  }

  private void show(String line) {
    shown = true;
    if (terminal) {
      out.print("\r\033[K" + line);
      out.flush();
    } else {
      out.println(line);
    }
  }

  /** Prints a line that stays. */
  public void note(String remark) {
    clear();
    out.println(remark);
  }

  public void clear() {
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
