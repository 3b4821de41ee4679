package dev.ebb.host.cli.replay;

import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cli.options.ConfigOption;
import dev.ebb.host.cli.options.JsonOption;
import dev.ebb.host.cli.options.ServerOptions;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.key.SettingValue;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.http.Json;
import dev.ebb.host.plugin.PluginFailure;
import dev.ebb.host.plugin.PluginReport;
import dev.ebb.host.plugin.StrategyKind;
import dev.ebb.host.replay.Capacity;
import dev.ebb.host.replay.ReplayModel;
import dev.ebb.host.replay.ReplayOptions;
import dev.ebb.host.replay.ReplayReport;
import dev.ebb.host.tuning.SettingRange;
import dev.ebb.host.tuning.TuningGrid;
import dev.ebb.host.tuning.TuningReport;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ebb tune}: searches for better settings of a policy. */
@Command(
    name = "tune",
    description =
        "Searches for better settings of a policy: replays traces with each combination of their"
            + " values, ranks them by the first half of each trace, and checks the best on the"
            + " second half",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb tune predictive trace.jsonl.gz",
      "  ebb tune s3-fifo trace.jsonl.gz --set small-ratio=0.05,0.1,0.2 --set ghost-ratio=0.5,1,2",
      "  ebb tune lfu --synthetic agent --capacity 5%% --json",
      "  ebb tune my-policy trace.jsonl --jar target/my-policy-1.0.0.jar --watch",
      "",
      "See docs/replay.md."
    })
public final class TuneCommand implements Callable<Integer> {

  private static final int MOST_TRIALS = 10_000;

  @Spec private CommandSpec spec;
  @Mixin private ConfigOption config;
  @Mixin private JsonOption json;

  @Parameters(index = "0", paramLabel = "POLICY", description = "The policy")
  private String policy;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "TRACE",
      showDefaultValue = CommandLine.Help.Visibility.NEVER,
      description = "Trace files")
  private List<String> traces = new ArrayList<>();

  @Option(
      names = "--set",
      paramLabel = "KEY=V1,V2,...",
      description =
          "A setting and the values to try; may be repeated. If not given, each setting is tried"
              + " with values around its current one: both values of a flag, all of a choice, and"
              + " a quarter, half, twice and four times a number")
  private List<String> ranges = new ArrayList<>();

  @Option(
      names = "--trials",
      paramLabel = "N",
      defaultValue = "64",
      description = "Combinations to try at most; of more, a random sample is tried")
  private int trials;

  @Mixin private JarOption jar;

  @Option(names = "--watch", description = "Repeats this when the JAR changes, until Ctrl-C")
  private boolean watch;

  @Mixin private ComparedTraces compared;

  @Option(
      names = {"-c", "--capacity"},
      paramLabel = "LIST",
      defaultValue = "1%,5%,20%",
      description = "Cache sizes: numbers of blocks, or shares of the trace's distinct blocks")
  private String capacities;

  @Option(
      names = {"-m", "--model"},
      paramLabel = "MODEL",
      defaultValue = "prefix",
      description = "The meaning of an id: prefix or object")
  private ReplayModel model;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Replays the first N requests of each trace; all if not given")
  private @Nullable Long limit;

  @Option(
      names = {"-j", "--jobs"},
      paramLabel = "N",
      description = "Runs at the same time; one for each core if not given")
  private @Nullable Integer jobs;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the sample, of the policies' randomness and of the synthetic trace")
  private long seed;

  private @Nullable FileWatch watched;

  @Override
  public Integer call() {
    Usage.of(spec, this::check);
    Path built = jar.path();
    if (watch && built != null) {
      watched = new FileWatch(built);
    }
    if (!watch) {
      run();
      return CommandLine.ExitCode.OK;
    }
    attempt();
    FileWatch file = watched;
    if (file == null) {
      return CommandLine.ExitCode.SOFTWARE;
    }
    String waiting = "waiting until '%s' changes".formatted(file.path());
    spec.commandLine().getErr().println(waiting);
    while (file.awaitChange()) {
      attempt();
      spec.commandLine().getErr().println(waiting);
    }
    return CommandLine.ExitCode.OK;
  }

  private @Nullable Void check() {
    Usage.between("--trials", trials, 1, MOST_TRIALS);
    if (limit != null) {
      Usage.between("--limit", limit, TuningReport.FEWEST_REQUESTS, Long.MAX_VALUE);
    }
    if (jobs != null) {
      Usage.between("--jobs", jobs, 1, Integer.MAX_VALUE);
    }
    Capacity.parseAll(capacities);
    ranges.forEach(SettingRange::parse);
    compared.check(traces);
    return null;
  }

  /** Runs once; reports a mistake, which the next version of the JAR may not have. */
  private void attempt() {
    try {
      run();
    } catch (UserError mistakes) {
      mistakes.messages().forEach(this::mistake);
    } catch (PluginFailure | ParameterException failure) {
      mistake(String.valueOf(failure.getMessage()));
    }
  }

  private void mistake(String message) {
    spec.commandLine().getErr().println("ebb: " + message);
  }

  private void run() {
    try (JarOption.Opened opened = jar.open(config.load(), StrategyKind.POLICY)) {
      Host host = opened.host();
      if (opened.folder() != null) {
        new CandidateOptions(host, opened.folder()).require(policy);
      } else {
        host.verify();
        watchInstalled(host);
      }
      tune(host);
    }
  }

  private void watchInstalled(Host host) {
    if (watch && watched == null) {
      watched =
          host.plugins().reports().stream()
              .filter(report -> offers(report, policy))
              .findFirst()
              .map(report -> new FileWatch(report.file()))
              .orElse(null);
    }
  }

  private static boolean offers(PluginReport report, String policy) {
    return report
        .strategies()
        .getOrDefault(StrategyKind.POLICY.plural(), List.of())
        .contains(policy);
  }

  private void tune(Host host) {
    TuneSearch search = Usage.of(spec, () -> search(host));
    search.notes().forEach(spec.commandLine().getErr()::println);
    List<TuningGrid.Trial> tried = search.trials();
    List<ReplayReport> reports = replay(host, tried.stream().map(TuningGrid.Trial::spec).toList());
    TuningReport report = TuningReport.of(tried, reports);
    TuneLines lines = new TuneLines(policy, search, reports, report);
    json.print(() -> Json.text(lines.document()), lines::text);
  }

  private TuneSearch search(Host host) {
    if (policy.equals(NoEviction.NAME)) {
      throw new UserError("'%s' evicts nothing, so there is nothing to tune".formatted(policy));
    }
    List<SettingValue> current = host.policies().settings(policy);
    if (current.isEmpty()) {
      throw new UserError("'%s' has no settings, so there is nothing to tune".formatted(policy));
    }
    Map<String, List<String>> choices = host.policies().choices(policy);
    List<String> notes = new ArrayList<>();
    List<SettingRange> wanted = ranges.stream().map(SettingRange::parse).toList();
    if (wanted.isEmpty()) {
      wanted = TuneSearch.around(policy, current, choices, notes, host.policies()::problems);
    }
    TuningGrid grid = new TuningGrid(policy, wanted, current);
    return TuneSearch.of(grid, wanted, grid.trials(trials, seed), notes, host.policies()::problems);
  }

  private List<ReplayReport> replay(Host host, List<PolicySpec> policies) {
    ReplayOptions options =
        ReplayOptions.of(
            policies,
            Capacity.parseAll(capacities),
            model,
            limit == null ? Long.MAX_VALUE : limit,
            jobs == null ? Runtime.getRuntime().availableProcessors() : jobs,
            seed,
            host.config().eviction().respectPriority());
    List<ReplayReport> reports = new ArrayList<>();
    compared.replay(
        traces,
        host,
        options,
        report -> {
          if (report.failure() != null) {
            throw new UserError(report.failure());
          }
          reports.add(report);
        });
    return reports;
  }

  /** Waits for other versions of a file, such as a JAR that is built again. */
  private static final class FileWatch {

    private static final Duration POLL = Duration.ofMillis(300);

    private record Version(long size, FileTime modified, @Nullable Object file) {}

    private final Path path;
    private @Nullable Version known;

    /** Creates a watch that knows the file as it is now. */
    FileWatch(Path path) {
      this.path = path;
      known = version();
    }

    Path path() {
      return path;
    }

    /**
     * Waits until the file is another one, and nobody is writing it.
     *
     * @return false if the thread was interrupted
     */
    boolean awaitChange() {
      Version last = known;
      while (ServerOptions.pause(POLL)) {
        Version now = version();
        if (now != null && now.equals(last) && !now.equals(known)) {
          known = now;
          return true;
        }
        last = now;
      }
      return false;
    }

    /** Returns the present version; null if there is no file. */
    private @Nullable Version version() {
      try {
        BasicFileAttributes read = Files.readAttributes(path, BasicFileAttributes.class);
        return new Version(read.size(), read.lastModifiedTime(), read.fileKey());
      } catch (IOException missing) {
        return null;
      }
    }
  }
}
