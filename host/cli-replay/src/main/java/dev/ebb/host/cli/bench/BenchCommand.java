package dev.ebb.host.cli.bench;

import dev.ebb.host.cli.options.AdminAddress;
import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.cli.output.StatusLine;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.loadgen.Bench;
import dev.ebb.host.loadgen.BenchLoad;
import dev.ebb.host.loadgen.BenchResult;
import dev.ebb.host.loadgen.BenchTarget;
import dev.ebb.host.loadgen.BenchText;
import dev.ebb.host.loadgen.Comparison;
import dev.ebb.host.loadgen.KeySequence;
import dev.ebb.host.loadgen.ValueSizes;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ebb bench}: generates load against a RESP server, measures it and checks its answers. */
@Command(
    name = "bench",
    subcommands = EngineBenchCommand.class,
    description =
        "Generates load against a Redis-compatible server: reports throughput, latency and hit"
            + " ratio, and checks its answers. The subcommand measures inference engines",
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "  ebb bench",
      "  ebb bench --command get --fill --keys 2000 --value-size '1 MiB' --verify",
      "  ebb bench --command get --refill --skew 0.9 --keys 1000000 --value-size '4 KiB:3,64"
          + " KiB:1'",
      "  ebb bench --port 6379 --command mixed --get-ratio 0.8 --connections 50 --pipeline 4"
          + " --json",
      "  ebb bench --command get --refill --trace conversation.jsonl.gz --requests 1000000",
      "  ebb bench --command get --refill --skew 0.9 --policies lru,lfu,arc --duration 60",
      "",
      "See docs/bench.md."
    })
public final class BenchCommand implements Callable<Integer> {

  private static final Duration ANSWER = Duration.ofSeconds(30);

  @Spec private CommandSpec spec;
  @Mixin private BenchGroup options;

  @Override
  public Integer call() {
    BenchTarget target = Usage.of(spec, options::target);
    BenchLoad load = Usage.of(spec, options::load);
    ValueSizes sizes = Usage.of(spec, options::sizes);
    List<String> policies = Usage.of(spec, options::policies);
    return policies.isEmpty()
        ? measure(target, load, sizes)
        : compare(policies, target, load, sizes);
  }

  private int measure(BenchTarget target, BenchLoad load, ValueSizes sizes) {
    BenchResult result = run(target, load, sizes, options.seed, "");
    print(options.json ? BenchText.json(result) : BenchText.write(result));
    return code(result.good());
  }

  /** Compares policies; the seed changes from round to round and is the same for all policies. */
  private int compare(List<String> policies, BenchTarget target, BenchLoad load, ValueSizes sizes) {
    int rounds = Usage.of(spec, options::rounds);
    AdminAddress admin = Usage.of(spec, options::admin);
    Comparison comparison;
    try (AdminClient client = new AdminClient(admin.address(), ANSWER, admin.context());
        BenchPolicies server = new BenchPolicies(client, policies, this::note)) {
      if (load.fillKeys() > 0) {
        BenchLoad fill = options.turn(load, 0).filling(load.fillKeys());
        run(target, fill, sizes, options.seed, "filling: ");
      }
      comparison =
          Comparison.run(
              policies,
              rounds,
              (policy, round) -> {
                server.use(policy);
                BenchResult result =
                    run(
                        target,
                        options.turn(load, round),
                        sizes,
                        options.seed + round,
                        "%s, round %d of %d: ".formatted(policy, round + 1, rounds));
                server.expect(policy);
                return result;
              });
    }
    print(
        options.json
            ? ComparisonLines.json(comparison) + System.lineSeparator()
            : String.join(System.lineSeparator(), ComparisonLines.text(comparison))
                + System.lineSeparator());
    return code(comparison.good());
  }

  private BenchResult run(
      BenchTarget target, BenchLoad load, ValueSizes sizes, long seed, String what) {
    try (KeySequence keys = keys(seed);
        StatusLine line = StatusLine.onStandardError()) {
      return Bench.run(target, load, sizes, keys, progress(line, what));
    }
  }

  private void note(String text) {
    spec.commandLine().getErr().println("ebb: " + text);
  }

  private void print(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  private static int code(boolean good) {
    return good ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private KeySequence keys(long seed) {
    String trace = options.trace;
    if (trace != null) {
      return new KeySequence(() -> TraceReader.open(TraceReader.path(trace), OnError.STOP));
    }
    SyntheticOptions popularity =
        Usage.of(
            spec,
            () ->
                new SyntheticOptions()
                    .requests(Long.MAX_VALUE)
                    .objects(options.keys)
                    .skew(Usage.atLeast("--skew", options.skew, 0))
                    .seed(seed));
    return new KeySequence(() -> new SyntheticTrace(SyntheticTrace.Shape.ZIPF, popularity));
  }

  private static Bench.Progress progress(StatusLine line, String what) {
    return (phase, seconds, requests, bytes) ->
        line.update(() ->
            String.format(
                Locale.ROOT,
                "%s%s %.0f s, %,.0f requests/s, %.2f GB/s",
                what,
                phase.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                seconds,
                requests / seconds,
                bytes / 1e9 / seconds));
  }
}
