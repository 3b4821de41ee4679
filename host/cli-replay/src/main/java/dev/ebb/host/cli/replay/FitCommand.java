package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.trace.HtmlOption;
import dev.ebb.host.cli.trace.ProgressLine;
import dev.ebb.host.cli.trace.TraceNames;
import dev.ebb.host.cli.trace.TraceOptions;
import dev.ebb.host.replay.ReplayProgress;
import dev.ebb.host.replay.fit.FitHtml;
import dev.ebb.host.replay.fit.FitReport;
import dev.ebb.host.replay.fit.FittedTrace;
import dev.ebb.host.replay.fit.ProfileFile;
import dev.ebb.host.replay.fit.ProfileFitter;
import dev.ebb.host.trace.TraceReader;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb fit}: fits a profile to a recorded trace. */
@Command(
    name = "fit",
    description =
        "Fits a profile to a recorded trace: sizes, times and reuse distances, without ids. 'ebb"
            + " replay --profile' generates traces with similar reuse from it. Shows how much a"
            + " generated trace differs",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb fit trace.jsonl.gz --output profile.json --html fit.html",
      "  ebb fit trace.jsonl.gz --output profile.json --limit 100000 --json",
      "",
      "See docs/traces.md."
    })
public final class FitCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private JsonOption json;
  @Mixin private HtmlOption html;

  @Parameters(paramLabel = "TRACE", description = "A trace file; '-' is standard input")
  private String trace;

  @Option(
      names = "--output",
      required = true,
      paramLabel = "FILE",
      description = "The profile. An existing file is not overwritten")
  private String output;

  @Mixin private TraceOptions reading;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the generated trace that is compared with the recorded one")
  private long seed;

  @Override
  public Integer call() {
    OutputFile profile = Usage.of(spec, () -> new OutputFile(output, "--output").mustBeNew());
    OutputFile page = Usage.of(spec, () -> page(profile));
    long most = Usage.of(spec, reading::limit);
    int tokens = Usage.of(spec, () -> reading.blockTokens(0));
    ProfileFitter.Fit recorded;
    FitReport report;
    long skipped;
    try (ProgressLine progress = ProgressLine.onStandardError()) {
      try (TraceReader reader = TraceReader.open(trace, reading.onError(), tokens)) {
        recorded = ProfileFitter.fit(trace, reader, most, tokens, progress.decoding());
        skipped = reader.skippedLines();
      }
      profile.write(ProfileFile.write(recorded.profile()));
      report = FitReport.of(label(), recorded, regenerated(recorded, progress));
    }
    json.print(report::json, () -> FitLines.text(report));
    if (skipped > 0) {
      spec.commandLine().getErr().println("ebb: omitted malformed lines: " + skipped);
    }
    spec.commandLine().getErr().println("wrote " + profile);
    if (page != null) {
      page.write(FitHtml.write(report));
      spec.commandLine().getErr().println("wrote " + page);
    }
    return CommandLine.ExitCode.OK;
  }

  private String label() {
    return TraceNames.of(List.of(trace)).getOrDefault(trace, trace);
  }

  private ProfileFitter.Fit regenerated(ProfileFitter.Fit recorded, ReplayProgress progress) {
    try (FittedTrace generated = new FittedTrace(recorded.profile(), 0, 0, 0, seed)) {
      return ProfileFitter.fit(
          "profile",
          generated,
          Long.MAX_VALUE,
          0,
          (requests, fraction) -> progress.at(ReplayProgress.Phase.GENERATING, fraction, 1));
    }
  }

  private @Nullable OutputFile page(OutputFile profile) {
    OutputFile page = html.page(List.of(trace));
    if (page != null) {
      page.mustNotBe(profile.path(), "the file of --output");
    }
    return page;
  }
}
