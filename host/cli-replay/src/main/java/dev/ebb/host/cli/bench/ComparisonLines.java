package dev.ebb.host.cli.bench;

import dev.ebb.host.http.Json;
import dev.ebb.host.loadgen.BenchResult;
import dev.ebb.host.loadgen.Comparison;
import dev.ebb.host.statistics.Difference;
import dev.ebb.host.text.Columns;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A comparison for a terminal, and as JSON. */
final class ComparisonLines {

  private static final Columns<Policy> POLICIES =
      Columns.of(
          Policy.class,
          """
          POLICY | {policy}
          >HIT RATIO | {hitRatio:%.2f %%}
          >REQUESTS/S | {requestsPerSecond:%,.0f}
          >P99 MS | {p99Millis:%.3f}
          """);

  private ComparisonLines() {}

  static List<String> text(Comparison comparison) {
    List<String> lines = new ArrayList<>(POLICIES.lines(policies(comparison)));
    lines.add(verdict(comparison.lead(), comparison.ranking()));
    return lines;
  }

  private static String verdict(Difference lead, List<String> ranking) {
    String ahead = "%s is ahead of %s by ".formatted(ranking.get(0), ranking.get(1));
    String points = format("%.2f", 100 * lead.points());
    if (Double.isNaN(lead.points())) {
      return "no result: a turn had no answered GET; use a longer --duration";
    }
    if (Double.isNaN(lead.margin())) {
      return "%s%s points; whether this is chance is known with --rounds %d or more"
          .formatted(ahead, points, Difference.FEWEST_PARTS);
    }
    String band = format("%s ± %.2f points", points, 100 * lead.margin());
    return lead.moreThanChance()
        ? "best: %s, ahead of %s by %s".formatted(ranking.get(0), ranking.get(1), band)
        : "no clear best: %s%s, which may be chance".formatted(ahead, band);
  }

  private record Policy(
      String policy,
      double hitRatio,
      double requestsPerSecond,
      double p99Millis,
      List<Double> hitRatios) {}

  private record Document(
      List<Policy> policies,
      String best,
      double lead,
      @Nullable Double margin,
      boolean moreThanNoise) {}

  static String json(Comparison comparison) {
    Difference lead = comparison.lead();
    return Json.text(
        new Document(
            policies(comparison),
            comparison.ranking().getFirst(),
            lead.points(),
            Json.known(lead.margin()),
            lead.moreThanChance()));
  }

  private static List<Policy> policies(Comparison comparison) {
    return comparison.ranking().stream().map(policy -> document(comparison, policy)).toList();
  }

  private static Policy document(Comparison comparison, String policy) {
    return new Policy(
        policy,
        comparison.hitRatio(policy),
        comparison.requestsPerSecond(policy),
        comparison.p99Millis(policy),
        Objects.requireNonNull(comparison.rounds().get(policy)).stream()
            .map(BenchResult::hitRatio)
            .toList());
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
