package dev.ebb.host.cli;

import dev.ebb.host.loadgen.BenchResult;
import dev.ebb.host.loadgen.Comparison;
import dev.ebb.host.statistics.Difference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** A comparison for a terminal, and as JSON. */
final class ComparisonLines {

  private ComparisonLines() {}

  static List<String> text(Comparison comparison) {
    TextTable table = new TextTable("POLICY", ">HIT RATIO", ">REQUESTS/S", ">P99 MS");
    for (String policy : comparison.ranking()) {
      table.add(
          List.of(
              policy,
              format("%.2f %%", 100 * comparison.hitRatio(policy)),
              format("%,.0f", comparison.requestsPerSecond(policy)),
              format("%.3f", comparison.p99Millis(policy))));
    }
    List<String> lines = new ArrayList<>(table.lines());
    Difference lead = comparison.lead();
    String band = format("%.2f ± %.2f points", 100 * lead.points(), 100 * lead.margin());
    List<String> ranking = comparison.ranking();
    lines.add(
        lead.moreThanChance()
            ? "best: %s, ahead of %s by %s".formatted(ranking.get(0), ranking.get(1), band)
            : "no clear best: %s is ahead of %s by %s, which may be chance"
                .formatted(ranking.get(0), ranking.get(1), band));
    return lines;
  }

  static String json(Comparison comparison) {
    List<Map<String, Object>> policies = new ArrayList<>();
    for (String policy : comparison.ranking()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("policy", policy);
      each.put("hitRatio", comparison.hitRatio(policy));
      each.put("requestsPerSecond", comparison.requestsPerSecond(policy));
      each.put("p99Millis", comparison.p99Millis(policy));
      each.put(
          "hitRatios",
          Objects.requireNonNull(comparison.rounds().get(policy)).stream()
              .map(BenchResult::hitRatio)
              .toList());
      policies.add(each);
    }
    Difference lead = comparison.lead();
    return Format.json(
        "policies",
        policies,
        "best",
        comparison.ranking().getFirst(),
        "lead",
        lead.points(),
        "margin",
        lead.margin(),
        "moreThanNoise",
        lead.moreThanChance());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
