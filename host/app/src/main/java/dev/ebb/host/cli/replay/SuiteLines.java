package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.output.Format;
import dev.ebb.host.cli.output.TextTable;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.ReplayResult;
import dev.ebb.host.replay.suite.SuiteRank;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of a suite, for a terminal. */
final class SuiteLines {

  private SuiteLines() {}

  /** Returns the line about a trace that is finished. */
  static String progress(int done, int all, ReplayReport report) {
    if (report.failure() != null) {
      return "ebb: %d of %d: %s".formatted(done, all, report.failure());
    }
    long failed = report.runs().stream().filter(run -> run.failure() != null).count();
    return "%d of %d: %s, %s, %s%s"
        .formatted(
            done,
            all,
            Format.text(report.trace()),
            Format.count(report.requests(), "request", "requests"),
            Format.count(report.runs().size(), "run", "runs"),
            failed == 0 ? "" : ", %d failed".formatted(failed));
  }

  static List<String> text(String suite, List<SuiteRank> ranking, List<ReplayReport> reports) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s, %s"
            .formatted(
                Format.text(suite),
                Format.count(reports.size(), "trace", "traces"),
                Format.count(ranking.size(), "policy", "policies")));
    lines.add("");
    TextTable table =
        new TextTable(
            ">RANK",
            "POLICY",
            ">MEAN RANK",
            ">BEST IN",
            ">HIT",
            ">OVER LRU",
            ">GAP CLOSED",
            ">WORST",
            "AT");
    ranking.forEach(rank -> table.add(cells(rank)));
    lines.addAll(table.lines());
    lines.add("");
    lines.add(
        "means over all capacities of all traces; OVER LRU and WORST are percentage points of the"
            + " hit ratio");
    for (ReplayReport report : reports) {
      for (ReplayResult run : report.runs()) {
        if (run.failure() != null) {
          lines.add(
              "%s failed at %s of %s: %s"
                  .formatted(
                      run.policy(),
                      Format.count(run.capacityBlocks(), "block", "blocks"),
                      Format.text(report.trace()),
                      run.failure()));
        }
      }
    }
    return lines;
  }

  private static List<String> cells(SuiteRank rank) {
    SuiteRank.Worst worst = rank.worst();
    return List.of(
        String.valueOf(rank.rank()),
        rank.policy(),
        format("%.2f", rank.meanRank()),
        "%d of %d".formatted(rank.wins(), rank.cases()),
        format("%.2f%%", rank.hitRatio() * 100),
        format("%+.2f", rank.gain() * 100),
        format("%.1f%%", rank.gapClosed() * 100),
        worst == null ? Format.UNKNOWN : format("%+.2f", worst.gain() * 100),
        worst == null
            ? Format.UNKNOWN
            : "%s of %s"
                .formatted(
                    Format.count(worst.capacityBlocks(), "block", "blocks"),
                    Format.text(worst.trace())));
  }

  private static String format(String format, double value) {
    return Double.isFinite(value) ? String.format(Locale.ROOT, format, value) : Format.UNKNOWN;
  }
}
