package dev.ebb.host.cli.replay;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cli.bench.ThroughGroup;
import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.OutputFile;
import dev.ebb.host.cli.trace.ProgressLine;
import dev.ebb.host.cli.trace.SyntheticGroup;
import dev.ebb.host.cli.trace.TraceNames;
import dev.ebb.host.cli.trace.TraceOptions;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.devkit.CandidateFolder;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.plugin.PluginState;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.Replay;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.replay.ReplayOptions;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.replay.queue.QueueComparison;
import dev.ebb.host.replay.queue.QueueOptions;
import dev.ebb.host.replay.queue.QueueResult;
import dev.ebb.host.replay.suite.ReplaySuite;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.SavingCursor;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.wiring.Host;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb replay}: ranks policies on a trace, and compares them with the optimum. */
@Command(
    name = "replay",
    description =
        "Replays recorded traces through the policies in the plugin folder, and shows which is"
            + " best and how far from the optimum it is",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb replay --synthetic chat",
      "  ebb replay --profile profile.json --requests 50000",
      "  ebb replay trace.jsonl.gz --capacity 1%%,5%%,10%%,50%% --html report.html",
      "  ebb replay trace.jsonl.gz --curve --policies lru,predictive",
      "  ebb replay a.jsonl b.jsonl.zst --policies lru,predictive --jobs 1",
      "  ebb replay trace.jsonl --policies \"lfu,lfu(ageing=dynamic)\" --capacity 10000",
      "  zcat trace.jsonl.gz | ebb replay - --capacity 5000,50000 --json",
      "  ebb replay trace.jsonl.gz --tiers 5%%,50%% --policies lru,predictive",
      "  ebb replay trace.jsonl --through 127.0.0.1:6380 --connections 8",
      "  ebb replay trace.jsonl --through host-1:6380,host-2:6380 --route affinity",
      "  ebb replay trace.jsonl.gz --scheduler 200000 --deadline 30s",
      "  ebb replay --suite examples/replay-suite/suite.conf --html suite.html",
      "  ebb replay --compare old.json new.json --fail-below -0.1",
      "",
      "Traces are lines of JSON as Mooncake, AIPerf, Dynamo, Qwen-Bailian, WEKA, NeMo Gym",
      "or LMCache write them, or logs of vLLM or SGLang, plain or packed by gzip, xz or zstd.",
      "See docs/replay.md and docs/traces.md."
    })
public final class ReplayCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private JarOption jar;

  @Parameters(
      paramLabel = "TRACE",
      arity = "0..*",
      showDefaultValue = Help.Visibility.NEVER,
      description = "Trace files; '-' is standard input")
  private List<String> traces = new ArrayList<>();

  @ArgGroup(exclusive = false, heading = "%nA synthetic trace instead of recorded ones:%n")
  private @Nullable SyntheticGroup synthetic;

  @ArgGroup(
      exclusive = false,
      heading = "%nThrough running servers, as LMCache would send it, instead of a simulation:%n")
  private @Nullable ThroughGroup through;

  @ArgGroup(exclusive = false, heading = "%nA disk behind the memory:%n")
  private @Nullable TierGroup tiers;

  @ArgGroup(exclusive = false, heading = "%nThe queue of an engine instead of its cache:%n")
  private @Nullable QueueGroup queue;

  @ArgGroup(exclusive = false, heading = "%nA comparison of two saved reports instead:%n")
  private @Nullable CompareGroup compare;

  @ArgGroup(exclusive = false, heading = "%nA suite of traces instead:%n")
  private @Nullable SuiteGroup suite;

  @Mixin private RunOptions runs;
  @Mixin private ComparisonOptions comparison;

  @Option(
      names = {"-m", "--model"},
      paramLabel = "MODEL",
      defaultValue = "prefix",
      description =
          "The meaning of an id: prefix (a block usable only behind all before it) or object (an"
              + " object of its own, as cache simulators have it)")
  private ReplayModel model;

  @Option(names = "--json", description = "Writes JSON to standard output in place of the table")
  private boolean json;

  @Mixin private TraceOptions reading;

  @Option(
      names = "--prefill-rate",
      paramLabel = "N",
      description =
          "Prompt tokens that the engine computes in a second: the table shows the time that a"
              + " request waits for its prefill, in place of tokens")
  private @Nullable Double prefillRate;

  @Option(
      names = "--stacktrace",
      description = "Shows on standard error where a policy failed, for its author")
  private boolean stackTraces;

  @Override
  public Integer call() {
    CompareGroup reports = compare;
    if (reports != null) {
      return reports.compare(spec, json);
    }
    SuiteGroup all = suite;
    if (all != null) {
      return replaySuite(all);
    }
    OutputFile page = Usage.of(spec, this::checkedPage);
    QueueGroup requests = queue;
    if (requests != null) {
      return replayQueue(requests);
    }
    ThroughGroup server = through;
    if (server != null) {
      return replayThrough(server);
    }
    try (JarOption.Opened opened = opened()) {
      Host host = opened.host();
      host.verify();
      ReplayOptions options = Usage.of(spec, () -> options(opened));
      RunLog log = Usage.of(spec, runs::log);
      if (runs.allPolicies()) {
        reportLeftOut(host);
      }
      PrintWriter err = spec.commandLine().getErr();
      ReplayOutput output =
          new ReplayOutput(spec.commandLine().getOut(), err, json, stackTraces, page);
      output.curve(options.curve());
      if (prefillRate != null) {
        output.prefillRate(Usage.of(spec, this::checkedRate));
      }
      SyntheticGroup made = synthetic;
      if (made != null) {
        output.add(attempt(made.name(), () -> replaySynthetic(host, options, made, log)));
      }
      TraceNames.of(traces)
          .forEach((trace, label) ->
              output.add(attempt(label, () -> replay(host, options, trace, label, log))));
      return output.finish() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
  }

  private JarOption.Opened opened() {
    return jar.open(
        config.load(Usage.of(spec, runs::overrides)), StrategyKind.POLICY, StrategyKind.PREDICTOR);
  }

  private int replaySuite(SuiteGroup all) {
    ReplaySuite read = Usage.of(spec, () -> all.read(spec));
    OutputFile page = Usage.of(spec, () -> comparison.page(List.of()));
    int atOnce = Usage.of(spec, runs::jobs);
    int lookahead = Usage.of(spec, runs::lookahead);
    RunLog log = Usage.of(spec, runs::log);
    try (JarOption.Opened opened = opened()) {
      Host host = opened.host();
      host.verify();
      if (read.policies().isEmpty()) {
        reportLeftOut(host);
      }
      SuiteGroup.Run run =
          new SuiteGroup.Run(host, atOnce, lookahead, runs.optimum(), log, reading.onError());
      return all.replay(read, run, spec, json, page);
    }
  }

  /** Replays the queue of an engine with each preemption policy. */
  private int replayQueue(QueueGroup requests) {
    QueueOptions options =
        Usage.of(spec, () -> requests.read(spec, prefillRate == null ? null : checkedRate()));
    try (JarOption.Opened opened = jar.open(config.load(), StrategyKind.PREEMPTION)) {
      Host host = opened.host();
      host.verify();
      List<PolicySpec> policies =
          Usage.of(spec, () -> QueueGroup.policies(runs.policyNames(), host.policies()));
      opened.requireNamed(
          StrategyKind.PREEMPTION, policies.stream().map(PolicySpec::name).toList());
      QueueComparison comparing = new QueueComparison(host.policies(), options, comparison.seed());
      PrintWriter out = spec.commandLine().getOut();
      boolean good = true;
      for (DecodedTrace trace : decoded()) {
        List<QueueResult> results = Usage.of(spec, () -> comparing.run(policies, trace));
        QueueGroup.print(trace, options, results, json, out);
        good &= results.stream().allMatch(result -> result.fault() == null);
      }
      out.flush();
      return good ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }
  }

  private List<DecodedTrace> decoded() {
    long limit = Usage.of(spec, reading::limit);
    List<DecodedTrace> decoded = new ArrayList<>();
    eachTrace((name, trace) ->
        decoded.add(DecodedTrace.decode(name, trace, limit, (requests, fraction) -> {})));
    return decoded;
  }

  /** Opens one trace after the other. */
  private void eachTrace(BiConsumer<String, TraceCursor> use) {
    SyntheticGroup made = synthetic;
    if (made != null) {
      int tokens = reading.blockTokens(made.blockTokens());
      try (TraceCursor trace = made.open(comparison.seed(), tokens)) {
        use.accept(made.name(), trace);
      }
    }
    TraceNames.of(traces)
        .forEach((file, label) -> {
          try (TraceReader trace = TraceReader.open(file, reading.onError())) {
            use.accept(label, trace);
          }
        });
  }

  /** Sends the traces to a server, one after the other. */
  private int replayThrough(ThroughGroup server) {
    SizedGroups groups = Usage.of(spec, () -> runs.groups(ReplayModel.PREFIX));
    long requests =
        Usage.of(
            spec,
            () -> {
              server.check(spec);
              server.checkSizes(groups);
              return reading.limit();
            });
    List<String> wrong = new ArrayList<>();
    eachTrace((name, trace) -> {
      if (!server.replay(name, trace, groups, requests, comparison.seed(), json, spec)) {
        wrong.add(name);
      }
    });
    return wrong.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private @Nullable OutputFile checkedPage() {
    checkTraces();
    OutputFile page = comparison.page(traces);
    if (synthetic != null) {
      synthetic.check(page);
      synthetic.checkSeeds(runs.seeds());
    }
    return page;
  }

  private double checkedRate() {
    double rate = requireNonNull(prefillRate);
    if (!(rate >= 1 && rate <= 1e9)) {
      throw new UserError(
          "--prefill-rate: '%s' must be from 1 to 1000000000 tokens per second, such as 8000"
              .formatted(prefillRate));
    }
    return rate;
  }

  private void checkTraces() {
    if (traces.isEmpty() && synthetic == null) {
      throw new UserError(
          "give one or more traces, --synthetic chat|agent|fork|rag|zipf, or --profile FILE");
    }
    if (!traces.isEmpty() && synthetic != null) {
      throw new UserError(
          "%s replaces '%s'; use one of them".formatted(synthetic.option(), traces.getFirst()));
    }
    if (traces.stream().filter(TraceReader.STANDARD_INPUT::equals).count() > 1) {
      throw new UserError("standard input can be named only once");
    }
  }

  /** Replays one trace; a failing one does not affect the others. */
  private ReplayReport attempt(String label, Supplier<ReplayReport> replay) {
    try {
      return replay.get();
    } catch (UserError wrong) {
      return ReplayReport.failed(label, model, String.valueOf(wrong.getMessage()));
    } catch (OutOfMemoryError exhausted) {
      return ReplayReport.failed(label, model, Usage.HEAP_TOO_SMALL);
    }
  }

  private ReplayReport replay(
      Host host, ReplayOptions options, String trace, String label, RunLog log) {
    try (TraceReader reader = TraceReader.open(trace, reading.onError(), options.blockTokens());
        ProgressLine progress = ProgressLine.onStandardError(log)) {
      Replay replay = new Replay(host.policies(), options, progress);
      return trace.equals(TraceReader.STANDARD_INPUT)
          ? replay.stream(label, reader)
          : replay.file(replay.decode(label, reader));
    }
  }

  private ReplayReport replaySynthetic(
      Host host, ReplayOptions options, SyntheticGroup made, RunLog log) {
    int tokens = reading.blockTokens(made.blockTokens());
    try (ProgressLine progress = ProgressLine.onStandardError(log)) {
      Replay replay = new Replay(host.policies(), options.withBlockTokens(tokens), progress);
      return replay.generated(seed -> decoded(replay, made, seed, tokens));
    }
  }

  private static DecodedTrace decoded(Replay replay, SyntheticGroup made, long seed, int tokens) {
    try (TraceCursor trace = made.open(seed, tokens)) {
      DecodedTrace decoded = replay.decode(made.name(), trace);
      if (trace instanceof SavingCursor saving) {
        saving.saveRest();
      }
      return decoded;
    }
  }

  private ReplayOptions options(JarOption.Opened opened) {
    Host host = opened.host();
    List<PolicySpec> policies = runs.policies(host);
    opened.requireNamed(StrategyKind.POLICY, policies.stream().map(PolicySpec::name).toList());
    ReplayOptions options =
        new ReplayOptions(
            policies,
            capacities(),
            model,
            reading.blockTokens(0),
            reading.limit(),
            runs.jobs(),
            runs.repeat(),
            comparison.seed(),
            runs.seeds(),
            host.config().eviction().respectPriority(),
            runs.lookahead(),
            runs.optimum(),
            runs.curve(),
            runs.groups(model),
            tiers == null ? null : tiers.read(spec, model, policies, host),
            runs.hints(model));
    if (traces.contains(TraceReader.STANDARD_INPUT)) {
      options.checkForStream();
    }
    return options;
  }

  private List<Capacity> capacities() {
    if (!runs.curve()) {
      return comparison.capacities();
    }
    if (tiers != null) {
      throw new UserError("--curve shows sizes of one memory; leave --tiers or --curve out");
    }
    boolean chosen = spec.commandLine().getParseResult().hasMatchedOption("--capacity");
    return chosen ? comparison.capacities() : Capacity.ofCurve();
  }

  /** Reports refused JARs, because users who replay all policies may expect theirs. */
  private void reportLeftOut(Host host) {
    PrintWriter err = spec.commandLine().getErr();
    host.plugins().reports().stream()
        .filter(report -> report.state() == PluginState.REFUSED)
        .forEach(report ->
            err.println(
                "ebb: %s is not loaded, so its policies are left out; run 'ebb plugins list' to see why"
                    .formatted(CandidateFolder.installedName(report.file()))));
    host.plugins()
        .undecided(StrategyKind.POLICY)
        .values()
        .forEach(message -> err.println("ebb: left out: " + message));
  }
}
