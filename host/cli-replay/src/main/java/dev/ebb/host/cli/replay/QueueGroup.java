package dev.ebb.host.cli.replay;

import dev.ebb.host.cli.options.Usage;
import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.policy.PolicyFactory;
import dev.ebb.host.replay.queue.QueueComparison;
import dev.ebb.host.replay.queue.QueueJson;
import dev.ebb.host.replay.queue.QueueOptions;
import dev.ebb.host.replay.queue.QueueResult;
import dev.ebb.host.text.Format;
import dev.ebb.host.text.TextTable;
import dev.ebb.host.trace.DecodedTrace;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The options of a replay of an engine's queue, which compares preemption policies. */
final class QueueGroup {

  private static final double DEFAULT_RATE = 10_000;

  private static final Set<String> REFUSED =
      Set.of(
          "--model",
          "--capacity",
          "--groups",
          "--tiers",
          "--seeds",
          "--repeat",
          "--lookahead",
          "--min-access-count",
          "--html");

  @Option(
      names = "--scheduler",
      required = true,
      paramLabel = "TOKENS",
      description =
          "Replays the queue of an engine whose KV memory has room for so many tokens, with each"
              + " preemption policy. --policies names some of them, and --prefill-rate the tokens"
              + " that the engine computes in a second, 10000 if not given")
  private long memoryTokens;

  @Option(
      names = "--step-time",
      paramLabel = "TIME",
      defaultValue = "20ms",
      description = "The time of a step of the engine, besides its tokens")
  private String step;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      defaultValue = "60s",
      description = "The time from its arrival by which a request should be answered")
  private String deadline;

  /**
   * Returns the model of the engine.
   *
   * @param rate tokens a second; null for the default
   */
  QueueOptions read(CommandSpec command, @Nullable Double rate) {
    Usage.refuse(
        command,
        REFUSED::contains,
        "%s has no meaning for --scheduler, which replays no cache; leave it out"::formatted);
    return new QueueOptions(
        memoryTokens,
        rate == null ? DEFAULT_RATE : rate,
        Usage.time("--step-time", step, Duration.ofMillis(1), Duration.ofHours(1)),
        Usage.time("--deadline", deadline, Duration.ofMillis(1), Duration.ofDays(365)));
  }

  static List<PolicySpec> policies(@Nullable String names, PolicyFactory factory) {
    return names == null ? QueueComparison.all(factory) : PolicySpec.parseList(names, "--policies");
  }

  static void print(
      DecodedTrace trace,
      QueueOptions options,
      List<QueueResult> results,
      boolean json,
      PrintWriter out) {
    if (json) {
      out.println(QueueJson.write(trace.name(), options, results));
      return;
    }
    out.println(
        "%s: %s, memory for %,d tokens"
            .formatted(
                trace.name(),
                Format.count(trace.requests(), "request", "requests"),
                options.memoryTokens()));
    TextTable table =
        new TextTable(
            "policy",
            ">preemptions",
            ">recomputed",
            ">wait p50",
            ">p95",
            ">p99",
            ">answer p50",
            ">p99",
            ">late");
    results.forEach(result -> table.add(row(result)));
    table.lines().forEach(line -> out.println("  " + line));
    int tooLong = results.isEmpty() ? 0 : results.getFirst().tooLong();
    if (tooLong > 0) {
      out.println(
          "  %s refused, which would not fit even alone"
              .formatted(Format.count(tooLong, "request", "requests")));
    }
    results.stream()
        .filter(result -> result.fault() != null)
        .forEach(result ->
            out.println(
                "  %s failed, lowest-priority replaced it: %s"
                    .formatted(result.policy(), result.fault())));
  }

  private static List<String> row(QueueResult result) {
    double again = 100.0 * result.recomputedTokens() / Math.max(1, result.computedTokens());
    return List.of(
        result.policy(),
        "%,d".formatted(result.preemptions()),
        String.format(Locale.ROOT, "%.2f%%", again),
        seconds(result.waits(), 50),
        seconds(result.waits(), 95),
        seconds(result.waits(), 99),
        seconds(result.latencies(), 50),
        seconds(result.latencies(), 99),
        "%,d".formatted(result.missedDeadlines()));
  }

  private static String seconds(List<Long> nanos, double percent) {
    return nanos.isEmpty()
        ? "-"
        : String.format(Locale.ROOT, "%.2f s", QueueResult.millis(nanos, percent) / 1_000);
  }
}
