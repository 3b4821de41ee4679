package dev.ebb.host.cli.plugins;

import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.cli.replay.CandidateOptions;
import dev.ebb.host.cli.replay.ComparedTraces;
import dev.ebb.host.cli.replay.ComparisonOptions;
import dev.ebb.host.cli.replay.PolicyList;
import dev.ebb.host.cli.replay.ReplayOutput;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.devkit.CandidateFolder;
import dev.ebb.host.devkit.MemoryMeter;
import dev.ebb.host.devkit.PolicyMemory;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.replay.ReplayOptions;
import dev.ebb.host.text.Columns;
import dev.ebb.host.text.Format;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb plugins bench}: compares a built JAR with the installed policies. */
@Command(
    name = "bench",
    description =
        "Compares a built JAR with the installed policies: whether it is better than LRU and at"
            + " which capacities, share of the gap between LRU and the optimum, time per access,"
            + " memory per entry",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb plugins bench target/my-policy-1.0.0.jar",
      "  ebb plugins bench my-policy.jar --synthetic agent --requests 5000 --html report.html",
      "  ebb plugins bench my-policy.jar --policies \"lru,my-policy,my-policy(key=value)\"",
      "  ebb plugins bench my-policy.jar trace.jsonl.gz --capacity 1%%,10%% --json",
      "",
      "The columns are explained in docs/replay.md."
    })
final class PluginsBenchCommand implements Callable<Integer> {

  private static final Columns<PolicyMemory> MEMORY =
      Columns.of(
          PolicyMemory.class,
          """
          POLICY | {policy}
          >BYTES/ENTRY | {bytesPerEntry:%.0f}
          >WITH GHOSTS | {bytesPerEntryTurnedOver:%.0f}
          """);

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;

  @Parameters(index = "0", paramLabel = "FILE", description = "The JAR")
  private Path file;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "TRACE",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "Trace files")
  private List<String> traces = new ArrayList<>();

  @Mixin private ComparedTraces compared;

  @Option(
      names = {"-p", "--policies"},
      paramLabel = "LIST",
      description =
          "Policies to compare, each with settings in parentheses if wanted: of the JAR, one or"
              + " more, and of those installed; all if not given")
  private @Nullable String policies;

  @Mixin private ComparisonOptions comparison;

  @Override
  public Integer call() {
    OutputFile page = Usage.of(spec, this::checked);
    LoadedConfig loaded = config.load();
    Path installed = loaded.orThrow().plugins().folder();
    PrintWriter out = spec.commandLine().getOut();
    try (CandidateFolder folder = CandidateFolder.of(file, installed)) {
      LoadedConfig candidate = loaded.withPluginFolder(folder.folder());
      ReplayOutput output =
          new ReplayOutput(out, spec.commandLine().getErr(), json.wanted(), false, page);
      List<String> last = replay(candidate, folder, output);
      List<PolicyMemory> memory = measureMemory(candidate.config());
      if (!json.wanted()) {
        MEMORY.lines(memory).forEach(out::println);
        memory.stream()
            .filter(each -> each.problem() != null)
            .forEach(each -> out.println(Format.text(each.problem())));
        out.println();
        last.forEach(out::println);
      }
      return output.finish(memory) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
  }

  private @Nullable OutputFile checked() {
    compared.check(traces);
    comparison.capacities();
    return comparison.page(traces);
  }

  /** Replays all traces; returns the last lines. */
  private List<String> replay(LoadedConfig config, CandidateFolder folder, ReplayOutput output) {
    try (Host host = Host.open(config)) {
      CandidateOptions jar = new CandidateOptions(host, folder);
      List<PolicySpec> replayed = Usage.of(spec, () -> PolicyList.read(policies, host.policies()));
      List<String> candidates = Usage.of(spec, () -> jar.among(replayed));
      output.mark(candidates);
      compared.replay(traces, host, options(replayed, host), output::add);
      List<String> last = new ArrayList<>(VerdictLines.verdicts(output.reports(), candidates));
      last.add(
          VerdictLines.next(
              output.reports(), candidates, file, jar.exampleOfSettings(), !traces.isEmpty()));
      return last;
    }
  }

  private ReplayOptions options(List<PolicySpec> replayed, Host host) {
    return ReplayOptions.of(
        replayed,
        comparison.capacities(),
        ReplayModel.PREFIX,
        Long.MAX_VALUE,
        1,
        comparison.seed(),
        host.config().eviction().respectPriority());
  }

  private List<PolicyMemory> measureMemory(EbbConfig config) {
    try (StatusLine line = StatusLine.onStandardError();
        MemoryMeter meter = new MemoryMeter(config)) {
      return meter.run(wanted(), PluginsVerifyCommand.shownOn(line));
    }
  }

  private Predicate<String> wanted() {
    if (policies == null) {
      return _ -> true;
    }
    List<String> named =
        PolicySpec.parseList(policies, "--policies").stream().map(PolicySpec::name).toList();
    return named::contains;
  }
}
