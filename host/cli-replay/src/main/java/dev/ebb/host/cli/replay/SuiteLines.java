package dev.ebb.host.cli.replay;

import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.ReplayResult;
import dev.ebb.host.replay.suite.SuiteRanking;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTemplate;
import java.util.ArrayList;
import java.util.List;

/** The result of a suite, for a terminal. */
final class SuiteLines {

  private static final Columns<SuiteRanking.Rank> RANKING =
      Columns.of(
          SuiteRanking.Rank.class,
          """
          >RANK | {rank}
          POLICY | {policy}
          >MEAN RANK | {meanRank:%.2f}
          >BEST IN | {wins} of {cases}
          >HIT | {hitRatio:%.2f%%}[{?failures}*]
          >OVER LRU | {gain:points}[{?failures}*]
          >GAP CLOSED | {gapClosed:%.1f%%}[{?failures}*]
          >WORST | {worst.gain:points}
          AT | [{?worst}{worst.capacityBlocks:block|blocks} of {worst.trace}][{!worst}-]
          """);

  private static final TextTemplate<ReplayResult> FAILURE =
      TextTemplate.of(
          ReplayResult.class,
          "{policy} failed at {capacityBlocks:block|blocks} of {trace}: {failure}");

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

  static List<String> text(
      String suite, List<SuiteRanking.Rank> ranking, List<ReplayReport> reports) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%s: %s, %s"
            .formatted(
                Format.text(suite),
                Format.count(reports.size(), "trace", "traces"),
                Format.count(ranking.size(), "policy", "policies")));
    lines.add("");
    lines.addAll(RANKING.lines(ranking));
    lines.add("");
    lines.add(
        "means over all capacities of all traces; OVER LRU and WORST are percentage points of the"
            + " hit ratio");
    if (ranking.stream().anyMatch(rank -> rank.failures() > 0)) {
      lines.add("* without the cases in which the policy failed, so not comparable with others");
    }
    reports.stream()
        .flatMap(report -> report.runs().stream())
        .filter(run -> run.failure() != null)
        .map(FAILURE::line)
        .forEach(lines::add);
    return lines;
  }
}
