package dev.ebb.host.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Switches of the policy for a terminal: two lines each, and why one failed. */
final class SwapTable {

  private static final int HASH_DIGITS = 12;
  private static final String INDENT = "    ";

  private SwapTable() {}

  /** The lines for the document of {@code GET /api/v1/plugins/history}. */
  static List<String> lines(Fields document) {
    List<String> lines = new ArrayList<>();
    for (Fields swap : document.list("/history")) {
      lines.add(
          "%s  %s  %s -> %s%s  (%s)%s"
              .formatted(
                  swap.text("/number"),
                  swap.moment("/time"),
                  policy(swap.in("/from")),
                  policy(swap.in("/to")),
                  settings(swap.in("/settings")),
                  cause(swap),
                  swap.flag("/published") ? "" : "  FAILED"));
      String steps = steps(swap);
      if (!steps.isEmpty()) {
        lines.add(INDENT + steps);
      }
      if (swap.has("/failedStep")) {
        lines.add(INDENT + "failed in " + swap.text("/failedStep") + ": " + swap.text("/failure"));
      }
      if (swap.raw("/loader").equals("held")) {
        lines.add(INDENT + "the old JAR is still in memory: something of it is still used");
      }
    }
    return lines;
  }

  /** A policy with its plugin, version and the first digits of the hash. */
  static String policy(Fields strategy) {
    if (!strategy.has("/plugin")) {
      return strategy.text("/policy");
    }
    String hash = strategy.text("/sha256");
    return "%s (%s %s, %s)"
        .formatted(
            strategy.text("/policy"),
            strategy.text("/plugin"),
            strategy.text("/version"),
            hash.substring(0, Math.min(HASH_DIGITS, hash.length())));
  }

  /** How the policy was configured, if at all. */
  private static String settings(Fields settings) {
    return settings.names("").isEmpty() ? "" : " " + HoconText.of(settings);
  }

  private static String cause(Fields swap) {
    String detail = swap.text("/detail");
    return swap.text("/cause") + (detail.isEmpty() ? "" : ": " + detail);
  }

  private static String steps(Fields swap) {
    Fields steps = swap.in("/stepMillis");
    return steps.names("").stream()
        .map(step -> String.format(Locale.ROOT, "%s %.1f ms", step, steps.number("/" + step)))
        .collect(Collectors.joining(", "));
  }
}
