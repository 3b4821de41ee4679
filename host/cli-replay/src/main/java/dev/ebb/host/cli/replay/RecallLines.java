package dev.ebb.host.cli.replay;

import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTable;
import dev.ebb.host.tokeneval.RecallOptions;
import dev.ebb.host.tokeneval.RecallResult;
import dev.ebb.host.tokeneval.RecallResult.Asked;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The recall of token policies, as a table for each time of the question. */
final class RecallLines {

  private RecallLines() {}

  static List<String> of(RecallOptions options, List<RecallResult> results) {
    List<String> lines = new ArrayList<>();
    for (Asked asked : Asked.values()) {
      List<RecallResult> chosen =
          results.stream().filter(result -> result.asked() == asked).toList();
      lines.add(
          "%s, %s of %s; facts known with all tokens: %s"
              .formatted(
                  asked == Asked.IN_PROMPT ? "question in the prompt" : "question afterwards",
                  Format.count(options.prompts(), "prompt", "prompts"),
                  Format.count(options.length(), "token", "tokens"),
                  percent(chosen.getFirst().accuracy())));
      table(options, chosen.subList(1, chosen.size())).lines().stream()
          .map(line -> "  " + line)
          .forEach(lines::add);
      lines.add("");
    }
    results.stream()
        .filter(result -> result.failure() != null)
        .map(result -> "%s stopped: %s".formatted(result.policy(), result.failure()))
        .distinct()
        .forEach(lines::add);
    return lines;
  }

  private static TextTable table(RecallOptions options, List<RecallResult> results) {
    List<String> columns = new ArrayList<>(List.of("policy, tokens kept"));
    options.ratios().forEach(ratio -> columns.add(">" + share(ratio)));
    TextTable table = new TextTable(columns.toArray(String[]::new));
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (RecallResult result : results) {
      rows.computeIfAbsent(result.policy(), name -> new ArrayList<>(List.of(name)))
          .add(result.failure() == null ? percent(result.accuracy()) : "-");
    }
    rows.values().forEach(table::add);
    return table;
  }

  private static String share(double ratio) {
    return String.format(Locale.ROOT, "%.3g%%", ratio * 100).replaceAll("\\.?0+%", "%");
  }

  private static String percent(double accuracy) {
    return String.format(Locale.ROOT, "%.0f%%", accuracy * 100);
  }
}
