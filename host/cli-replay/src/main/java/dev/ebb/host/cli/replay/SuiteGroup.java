package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.trace.ProgressLine;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.Replay;
import dev.ebb.host.replay.ReplayHtml;
import dev.ebb.host.replay.ReplayOptions;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.suite.ReplaySuite;
import dev.ebb.host.replay.suite.SuiteFile;
import dev.ebb.host.replay.suite.SuiteJson;
import dev.ebb.host.replay.suite.SuiteRanking;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option {@code --suite}: replays all traces of a suite, and ranks the policies. */
final class SuiteGroup {

  private static final Set<String> ALLOWED =
      Set.of(
          "--suite",
          "--html",
          "--json",
          "--jobs",
          "--jar",
          "--config",
          "--on-error",
          "--stacktrace",
          "--min-access-count",
          "--no-optimum",
          "--log-runs",
          "--lookahead");

  @Option(
      names = "--suite",
      required = true,
      paramLabel = "FILE",
      description =
          "Replays the traces of a suite, a HOCON file with traces, policies and capacities, and"
              + " ranks the policies over all of them")
  private String file;

  /** How a suite is run. */
  record Run(Host host, int jobs, int lookahead, boolean optimum, RunLog log, OnError onError) {}

  /**
   * Reads the suite before anything is run.
   *
   * @throws UserError if something in it is wrong, or another option has no meaning with it
   */
  ReplaySuite read(CommandSpec command) {
    Usage.refuse(
        command,
        name -> !ALLOWED.contains(name),
        name ->
            SuiteFile.KEYS.contains(name.substring("--".length()))
                ? "%s cannot be given with --suite '%s'; write it into the file"
                    .formatted(name, file)
                : "%s cannot be given with --suite; leave it out".formatted(name));
    return SuiteFile.read(Usage.file("--suite", file));
  }

  /** Runs the suite, writes the ranking, and returns the exit code. */
  int replay(
      ReplaySuite suite, Run run, CommandSpec command, boolean json, @Nullable OutputFile page) {
    PrintWriter err = command.commandLine().getErr();
    ReplayOptions options = Usage.of(command, () -> options(suite, run));
    List<ReplayReport> reports = new ArrayList<>();
    for (ReplaySuite.Trace trace : suite.traces()) {
      ReplayReport report = attempt(suite, run, options, trace);
      reports.add(report);
      err.println(SuiteLines.progress(reports.size(), suite.traces().size(), report));
      err.flush();
    }
    List<SuiteRanking.Rank> ranking = SuiteRanking.of(reports);
    PrintWriter out = command.commandLine().getOut();
    if (json) {
      out.println(SuiteJson.write(suite.name(), ranking, reports));
    } else {
      SuiteLines.text(suite.name(), ranking, reports).forEach(out::println);
    }
    out.flush();
    if (page != null && !ranking.isEmpty()) {
      page.write(ReplayHtml.writeSuite(reports, SuiteJson.writeRanking(suite.name(), ranking)));
      err.println("wrote " + page);
    }
    return reports.stream().allMatch(ReplayReport::succeeded)
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }

  private ReplayOptions options(ReplaySuite suite, Run run) {
    List<PolicySpec> policies =
        suite.policies().isEmpty()
            ? PolicyList.read(null, run.host().policies())
            : suite.policies();
    UserError.throwIfAny(
        policies.stream()
            .flatMap(policy -> run.host().policies().problems(policy).stream())
            .distinct()
            .map(problem -> "%s: %s".formatted(file, problem))
            .toList());
    return new ReplayOptions(
        policies,
        suite.capacities(),
        suite.model(),
        0,
        suite.limit(),
        run.jobs(),
        1,
        suite.seed(),
        suite.seeds(),
        run.host().config().eviction().respectPriority(),
        run.lookahead(),
        run.optimum(),
        false,
        null,
        null,
        null);
  }

  /** Replays one trace; a failing one does not affect the others. */
  private static ReplayReport attempt(
      ReplaySuite suite, Run run, ReplayOptions options, ReplaySuite.Trace trace) {
    try (ProgressLine progress = ProgressLine.onStandardError(run.log())) {
      ReplayOptions given =
          trace.synthetic() ? options.withBlockTokens(ReplaySuite.Trace.BLOCK_TOKENS) : options;
      Replay replay = new Replay(run.host().policies(), given, progress);
      return trace.synthetic()
          ? replay.generated(seed -> decoded(replay, run, trace, seed))
          : replay.file(decoded(replay, run, trace, suite.seed()));
    } catch (UserError wrong) {
      return ReplayReport.failed(trace.name(), suite.model(), String.valueOf(wrong.getMessage()));
    } catch (OutOfMemoryError exhausted) {
      return ReplayReport.failed(trace.name(), suite.model(), Usage.HEAP_TOO_SMALL);
    }
  }

  private static DecodedTrace decoded(Replay replay, Run run, ReplaySuite.Trace trace, long seed) {
    try (TraceCursor cursor = trace.open(seed, run.onError())) {
      return replay.decode(trace.name(), cursor);
    }
  }
}
