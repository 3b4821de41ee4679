package dev.ebb.host.cli;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The terminal of this process, if any. */
final class Terminal {

  private static final int COLUMNS = 80;

  private static final int ROWS = 24;
  private static final int TIMEOUT_SECONDS = 2;

  private Terminal() {}

  static boolean isThere() {
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }

  /** Returns whether to use colours: on a terminal, unless the variable {@code NO_COLOR} is set. */
  static boolean hasColours() {
    String no = System.getenv("NO_COLOR");
    return isThere() && (no == null || no.isEmpty());
  }

  /** Returns columns and rows from the system: the JDK does not know them. */
  static int[] size() {
    int[] otherwise = {COLUMNS, ROWS};
    if (!isThere()) {
      return otherwise;
    }
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String said =
          new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
      if (stty.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) && said.matches("\\d{1,4} \\d{1,4}")) {
        String[] rowsAndColumns = said.split(" ", 2);
        int rows = Integer.parseInt(rowsAndColumns[0]);
        int columns = Integer.parseInt(rowsAndColumns[1]);
        return rows > 0 && columns > 0 ? new int[] {columns, rows} : otherwise;
      }
    } catch (IOException noSuchProgram) {
      return otherwise;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    return otherwise;
  }
}
