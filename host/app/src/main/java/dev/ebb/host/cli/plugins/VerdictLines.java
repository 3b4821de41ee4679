package dev.ebb.host.cli.plugins;

import dev.ebb.host.replay.CandidateVerdict;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.units.ShellWord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The last lines of a comparison: the result of each policy, and the next steps. */
final class VerdictLines {

  private VerdictLines() {}

  /** Returns the verdicts, by trace if there are several. */
  static List<String> verdicts(List<ReplayReport> reports, Collection<String> candidates) {
    List<String> lines = new ArrayList<>();
    for (ReplayReport report : reports) {
      List<CandidateVerdict> verdicts = CandidateVerdict.of(report, candidates);
      boolean headed = reports.size() > 1 && !verdicts.isEmpty();
      if (headed) {
        lines.add("on " + report.trace() + ":");
      }
      verdicts.forEach(verdict -> lines.add((headed ? "  " : "") + verdict.text()));
    }
    return lines;
  }

  /**
   * Returns the next steps.
   *
   * @param settings an example of settings to try, empty for none
   */
  static String next(
      List<ReplayReport> reports,
      Collection<String> candidates,
      Path jar,
      String settings,
      boolean ownTraces) {
    List<String> steps = new ArrayList<>();
    if (reports.stream()
        .flatMap(report -> CandidateVerdict.of(report, candidates).stream())
        .anyMatch(CandidateVerdict::better)) {
      steps.add("'ebb plugins install %s'".formatted(ShellWord.quote(jar.toString())));
    }
    if (!settings.isEmpty()) {
      steps.add("other settings with --policies \"lru,%s\"".formatted(settings));
    }
    steps.add(ownTraces ? "another trace" : "a trace of your own");
    return "next: " + String.join("; ", steps);
  }
}
