package dev.ebb.host.cli;

import dev.ebb.host.authoring.Memory;
import dev.ebb.host.authoring.MemoryMeter;
import dev.ebb.host.authoring.TrialFolder;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.LoadedConfig;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.Replay;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.replay.ReplayOptions;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.SyntheticOptions;
import dev.ebb.host.trace.SyntheticTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb plugins bench}: what a built JAR is worth beside the policies that are installed. */
@Command(
    name = "bench",
    description =
        "Measures a built JAR beside all installed policies: hit ratio by capacity, share of the gap"
            + " between LRU and the optimum, time per access, memory per entry",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  ebb plugins bench target/my-policy-1.0.0.jar",
      "  ebb plugins bench my-policy.jar --synthetic agent --requests 5000 --html report.html",
      "  ebb plugins bench my-policy.jar trace.jsonl.gz --capacity 1%%,10%% --json",
      "",
      "What the columns mean is in docs/replay.md."
    })
final class PluginsBenchCommand implements Callable<Integer> {

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

  @Option(
      names = "--synthetic",
      paramLabel = "SHAPE",
      completionCandidates = OptionValues.Shapes.class,
      description = "A made-up trace: chat, agent, rag or zipf; chat if no trace is given")
  private SyntheticTrace.@Nullable Shape shape;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "10000",
      description = "Requests of the made-up trace")
  private long requests;

  @Option(
      names = {"-c", "--capacity"},
      paramLabel = "LIST",
      defaultValue = "1%,5%,10%,20%",
      description = "Cache sizes: numbers of blocks, or shares of the trace's distinct blocks")
  private String capacities;

  @Mixin private HtmlOption html;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the policies' randomness and of the made-up trace")
  private long seed;

  // The fields are set by picocli.
  @SuppressWarnings("NullAway.Init")
  PluginsBenchCommand() {}

  @Override
  public Integer call() {
    OutputFile page = checked();
    LoadedConfig loaded = config.load();
    EbbConfig read = loaded.orThrow();
    try (TrialFolder folder = TrialFolder.of(file, read.plugins().folder())) {
      EbbConfig trial = read.withPluginFolder(folder.folder());
      PrintWriter err = spec.commandLine().getErr();
      ReplayOutput output =
          new ReplayOutput(spec.commandLine().getOut(), err, json.wanted(), false, page);
      replay(new LoadedConfig(trial, List.of(), loaded.tree()), folder, output);
      List<Memory> memory = measureMemory(trial);
      if (!json.wanted()) {
        lines(memory).forEach(spec.commandLine().getOut()::println);
      }
      return output.finish(document -> completed(document, memory))
          ? CommandLine.ExitCode.OK
          : CommandLine.ExitCode.SOFTWARE;
    }
  }

  private @Nullable OutputFile checked() {
    try {
      if (requests < 1) {
        throw new UserError("--requests: '%d' must be at least 1".formatted(requests));
      }
      if (traces.contains(TraceReader.STANDARD_INPUT)) {
        throw new UserError("a stream has no optimum to compare with; name a trace file, not '-'");
      }
      Capacity.parseAll(capacities);
      return html.page(traces.stream().map(TraceReader::path).toList());
    } catch (UserError wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage());
    }
  }

  private void replay(LoadedConfig trial, TrialFolder folder, ReplayOutput output) {
    try (Host host = Host.open(trial)) {
      output.mark(policies(host, folder));
      ReplayOptions options =
          new ReplayOptions(
              host.policies().names().stream().map(PolicySpec::of).toList(),
              Capacity.parseAll(capacities),
              ReplayModel.PREFIX,
              0,
              Long.MAX_VALUE,
              1,
              1,
              seed);
      if (shape != null || traces.isEmpty()) {
        SyntheticTrace.Shape made = shape == null ? SyntheticTrace.Shape.CHAT : shape;
        SyntheticOptions how = new SyntheticOptions().requests(requests).seed(seed);
        output.add(replay(host, options, "synthetic " + made, new SyntheticTrace(made, how)));
      }
      TraceLabels.of(traces)
          .forEach((trace, label) ->
              output.add(replay(host, options, label, TraceReader.open(trace, OnError.STOP))));
    }
  }

  /** The policies that the JAR offers. */
  private static List<String> policies(Host host, TrialFolder folder) {
    PluginReport report =
        host.plugins().reports().stream()
            .filter(each -> each.file().getFileName().equals(folder.jar().getFileName()))
            .findFirst()
            .orElseThrow();
    if (report.state() != PluginState.LOADED || !report.reason().isEmpty()) {
      throw new UserError("'%s': %s".formatted(folder.jar().getFileName(), report.reason()));
    }
    List<String> policies = report.strategies().get(StrategyKind.POLICY.plural());
    if (policies == null) {
      throw new UserError(
          "'%s' offers no block policy, and only those can be replayed; install it, and try %s"
              .formatted(folder.jar().getFileName(), trials(report)));
    }
    return policies;
  }

  /** The commands that show what strategies of the other kinds are worth. */
  private static String trials(PluginReport report) {
    List<String> commands = new ArrayList<>();
    List<String> tokens =
        report.strategies().getOrDefault(StrategyKind.TOKEN_POLICY.plural(), List.of());
    if (!tokens.isEmpty()) {
      commands.add("'ebb tokens eval --policies %s'".formatted(String.join(",", tokens)));
    }
    report
        .strategies()
        .getOrDefault(StrategyKind.PREDICTOR.plural(), List.of())
        .forEach(name ->
            commands.add(
                "'ebb replay --synthetic chat --policies \"lru,lifetime(predictor=%s)\"'"
                    .formatted(name)));
    return String.join(" or ", commands);
  }

  private static ReplayReport replay(
      Host host, ReplayOptions options, String label, TraceCursor trace) {
    try (trace;
        ProgressLine progress = ProgressLine.onStandardError()) {
      Replay replay = new Replay(host.policies(), options, progress);
      return replay.file(replay.decode(label, trace));
    } catch (UserError wrong) {
      return ReplayReport.failed(label, options.model(), String.valueOf(wrong.getMessage()));
    }
  }

  private static List<Memory> measureMemory(EbbConfig trial) {
    try (StatusLine line = StatusLine.onStandardError();
        MemoryMeter meter = new MemoryMeter(trial)) {
      return meter.run(PluginsVerifyCommand.shownOn(line));
    }
  }

  private static List<String> lines(List<Memory> memory) {
    TextTable table = new TextTable("POLICY", ">BYTES/ENTRY", ">WITH GHOSTS");
    for (Memory each : memory) {
      table.add(
          List.of(
              each.policy(), bytes(each.bytesPerEntry()), bytes(each.bytesPerEntryTurnedOver())));
    }
    return Stream.concat(table.lines().stream(), memory.stream().mapMulti(PluginsBenchCommand::why))
        .toList();
  }

  private static void why(Memory memory, Consumer<String> lines) {
    if (memory.problem() != null) {
      lines.accept(KeyText.printable(memory.problem()));
    }
  }

  private static String bytes(double value) {
    return Double.isFinite(value) ? String.valueOf(Math.round(value)) : Fields.UNKNOWN;
  }

  private static String completed(String replayed, List<Memory> memory) {
    Map<String, Object> document = new LinkedHashMap<>();
    Fields.parse(replayed)
        .node()
        .properties()
        .forEach(part -> document.put(part.getKey(), part.getValue()));
    document.put("memory", memory.stream().map(PluginsBenchCommand::document).toList());
    return Json.text(document);
  }

  private static Map<String, Object> document(Memory memory) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("policy", memory.policy());
    document.put("bytesPerEntry", Json.known(memory.bytesPerEntry()));
    document.put("bytesPerEntryTurnedOver", Json.known(memory.bytesPerEntryTurnedOver()));
    document.put("problem", memory.problem());
    return document;
  }
}
