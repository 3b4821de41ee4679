package dev.ebb.host.cli.output;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The terminal of this process, if any. */
public final class Terminal {

  private static final int COLUMNS = 80;

  private static final int ROWS = 24;
  private static final int TIMEOUT_SECONDS = 2;

  private Terminal() {}

  public static boolean isThere() {
    return Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);
  }

  /** Returns whether to use colours: on a terminal, unless the variable {@code NO_COLOR} is set. */
  public static boolean hasColours() {
    String no = System.getenv("NO_COLOR");
    return isThere() && (no == null || no.isEmpty());
  }

  /** Returns columns and rows from the system: the JDK does not know them. */
  public static int[] size() {
    String rowsAndColumns = isThere() ? stty("size") : "";
    int[] otherwise = {COLUMNS, ROWS};
    if (!rowsAndColumns.matches("\\d{1,4} \\d{1,4}")) {
      return otherwise;
    }
    String[] both = rowsAndColumns.split(" ", 2);
    int rows = Integer.parseInt(both[0]);
    int columns = Integer.parseInt(both[1]);
    return rows > 0 && columns > 0 ? new int[] {columns, rows} : otherwise;
  }

  /** Asks or sets the terminal with {@code stty}; returns its answer, empty if it fails. */
  public static String stty(String... arguments) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    try {
      Process stty =
          new ProcessBuilder(command)
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String answer =
          new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
      return stty.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS) ? answer : "";
    } catch (IOException noSuchProgram) {
      return "";
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
