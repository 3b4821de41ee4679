package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.replay.comparison.ReportComparison;
import dev.ebb.host.replay.comparison.ReportComparison.RowChange;
import dev.ebb.host.replay.comparison.SavedReport;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of a comparison of two saved reports. */
final class CompareGroup {

  private static final Set<String> ALLOWED =
      Set.of("--compare", "--rename", "--fail-below", "--json", "--config");

  @Option(
      names = "--compare",
      required = true,
      arity = "2",
      paramLabel = "BASE.json CURRENT.json",
      hideParamSyntax = true,
      description =
          "Shows what changed from one report that --json wrote to another, by policy and capacity")
  private String[] files;

  @Option(
      names = "--rename",
      split = ",",
      paramLabel = "OLD=NEW",
      description =
          "Compares a policy of the first report with one of another name in the second, such as"
              + " lru=my-lru; several with commas")
  private Map<String, String> renamed = Map.of();

  @Option(
      names = "--fail-below",
      paramLabel = "POINTS",
      description =
          "Ends with status 1 if a hit ratio changed by less than this many percentage points, such"
              + " as -0.1, or if a row is missing")
  private @Nullable Double failBelow;

  /** Compares the reports, and returns the exit code. */
  int compare(CommandSpec command, boolean json) {
    ReportComparison comparison = Usage.of(command, () -> read(command));
    ReportChangeLines lines = new ReportChangeLines(comparison, failBelow);
    PrintWriter out = command.commandLine().getOut();
    if (json) {
      out.println(Json.text(lines.document()));
    } else {
      lines.text().forEach(out::println);
    }
    out.flush();
    List<RowChange> below = failBelow == null ? List.of() : comparison.below(failBelow);
    return below.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private ReportComparison read(CommandSpec command) {
    Usage.refuse(
        command,
        name -> !ALLOWED.contains(name),
        "%s has no meaning for --compare, which replays nothing; leave it out"::formatted);
    if (failBelow != null && !(Math.abs(failBelow) <= 100)) {
      throw new UserError(
          "--fail-below: '%s' must be from -100 to 100 percentage points, such as -0.1"
              .formatted(failBelow));
    }
    return ReportComparison.of(
        SavedReport.read(Usage.file("--compare", files[0])).renamed(renamed),
        SavedReport.read(Usage.file("--compare", files[1])));
  }
}
