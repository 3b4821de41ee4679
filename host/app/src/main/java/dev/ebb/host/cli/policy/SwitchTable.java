package dev.ebb.host.cli.policy;

import dev.ebb.host.admin.policy.StrategyDocument;
import dev.ebb.host.admin.policy.SwapDocument;
import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.HoconText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Policy switches for a terminal: two lines each, and why one failed. */
public final class SwitchTable {

  private static final int HASH_DIGITS = 12;
  private static final String INDENT = "    ";

  private SwitchTable() {}

  /** The lines for the document of {@code GET /api/v1/plugins/history}. */
  public static List<String> lines(SwapDocument.History document) {
    List<String> lines = new ArrayList<>();
    for (SwapDocument record : document.history()) {
      lines.add(
          "%s  %s  %s -> %s%s  (%s)%s"
              .formatted(
                  Format.text(record.number()),
                  Format.moment(record.time()),
                  policy(record.from()),
                  policy(record.to()),
                  settings(record.settings()),
                  cause(record),
                  record.published() ? "" : "  FAILED"));
      String steps = steps(record);
      if (!steps.isEmpty()) {
        lines.add(INDENT + steps);
      }
      if (record.failedStep() != null) {
        lines.add(
            INDENT
                + "failed in "
                + Format.text(record.failedStep())
                + ": "
                + Format.text(record.failure()));
      }
      if ("held".equals(record.loader())) {
        lines.add(INDENT + "the old JAR is still in memory: something of it is still used");
      }
    }
    return lines;
  }

  /** A policy with its plugin, version and the first digits of the hash. */
  static String policy(StrategyDocument strategy) {
    if (strategy.plugin() == null) {
      return Format.text(strategy.policy());
    }
    String hash = Format.text(strategy.sha256());
    return "%s (%s %s, %s)"
        .formatted(
            Format.text(strategy.policy()),
            Format.text(strategy.plugin()),
            Format.text(strategy.version()),
            hash.substring(0, Math.min(HASH_DIGITS, hash.length())));
  }

  /** How the policy was configured, if at all. */
  private static String settings(Map<String, Object> settings) {
    return settings.isEmpty() ? "" : " " + HoconText.of(settings);
  }

  private static String cause(SwapDocument record) {
    String detail = Format.text(record.detail());
    return Format.text(record.cause()) + (detail.isEmpty() ? "" : ": " + detail);
  }

  private static String steps(SwapDocument record) {
    return record.stepMillis().entrySet().stream()
        .map(step -> String.format(Locale.ROOT, "%s %.1f ms", step.getKey(), step.getValue()))
        .collect(Collectors.joining(", "));
  }
}
