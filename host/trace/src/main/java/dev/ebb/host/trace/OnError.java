package dev.ebb.host.trace;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The action on a malformed line. */
public enum OnError {
  /** Stop with a {@link TraceException} that names the line. */
  STOP,
  /** Leave the line out, and count it. */
  SKIP;

  /**
   * Describes the lines that were left out, if any.
   *
   * @param reasons the problems of the first of them
   */
  public static String skipped(long lines, List<String> reasons) {
    if (lines == 0) {
      return "";
    }
    String head =
        lines == 1
            ? "1 malformed line was skipped:\n"
            : String.format(Locale.ROOT, "%,d malformed lines were skipped, such as\n", lines);
    return head + reasons.stream().map("  %s\n"::formatted).collect(Collectors.joining());
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
