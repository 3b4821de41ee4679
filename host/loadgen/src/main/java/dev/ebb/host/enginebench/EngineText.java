package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.EngineResult.Fault;
import dev.ebb.host.enginebench.EngineResult.Sample;
import dev.ebb.host.enginebench.EngineResult.Source;
import dev.ebb.host.enginebench.EngineResult.Tenant;
import dev.ebb.host.enginebench.EngineResult.Tokens;
import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.loadgen.BenchText;
import dev.ebb.host.units.Plural;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Results as text and as JSON. */
public final class EngineText {

  private static final double[] PERCENTILES = {50, 95, 99, 100};
  private static final String NOT_REPORTED = "not reported";

  private EngineText() {}

  /**
   * Writes a result for people.
   *
   * @return lines, each ended
   */
  public static String write(EngineResult result) {
    StringBuilder text = new StringBuilder();
    BenchText.line(
        text, "server", "%s, model %s, %s", result.server(), result.model(), word(result.api()));
    BenchText.line(
        text,
        "load",
        "%s, %s, %s in %.1f s",
        result.trace(),
        result.pace(),
        Plural.of(result.sent(), "request", "requests"),
        result.seconds());
    if (result.leftOut() > 0) {
      BenchText.line(
          text,
          "left out",
          "%s with longer prompts",
          Plural.of(result.leftOut(), "request", "requests"));
    }
    BenchText.line(
        text,
        "throughput",
        "%.2f requests/s, %,.1f generated tokens/s",
        result.requestsPerSecond(),
        result.tokensPerSecond());
    tokens(text, result.tokens());
    times(text, "first token", result.firstToken());
    times(text, "inter-token", result.interToken());
    times(text, "request", result.latency());
    if (!result.tenants().isEmpty()) {
      BenchText.line(
          text,
          "fairness",
          "reuse %s, time to first token %s (Jain's index over %s)",
          index(result.reuseFairness()),
          index(result.latencyFairness()),
          Plural.of(result.tenants().size(), "tenant", "tenants"));
    }
    for (Fault fault : result.faults()) {
      BenchText.line(
          text,
          "errors",
          "%,d of kind '%s', the first: %s",
          fault.count(),
          fault.kind(),
          fault.first());
    }
    if (result.stopped() != null) {
      BenchText.line(text, "stopped", "%s", result.stopped());
    }
    return text.toString();
  }

  private static void tokens(StringBuilder text, Tokens tokens) {
    boolean known = !Double.isNaN(tokens.reused());
    BenchText.line(
        text,
        "prompts",
        "%s tokens: %s prefilled, %s reused%s",
        count(tokens.prompt()),
        count(tokens.prefilled()),
        count(tokens.reused()),
        known
            ? String.format(
                Locale.ROOT,
                " (%.1f %%), by the %s",
                100 * tokens.reusedShare(),
                tokens.source() == Source.USAGE
                    ? "usage in the answers"
                    : "server's metrics, other clients included")
            : "");
    BenchText.line(
        text,
        "answers",
        "%s%s",
        Plural.of(tokens.generated(), "token", "tokens"),
        tokens.estimated() ? ", estimated: the server reports no usage" : "");
  }

  private static String count(double count) {
    return Double.isNaN(count) ? NOT_REPORTED : String.format(Locale.ROOT, "%,.0f", count);
  }

  private static String index(double index) {
    return Double.isNaN(index) ? NOT_REPORTED : String.format(Locale.ROOT, "%.3f", index);
  }

  private static void times(StringBuilder text, String label, Histogram times) {
    BenchText.line(
        text,
        label,
        "%s",
        times.getTotalCount() == 0
            ? "not measured"
            : DoubleStream.of(PERCENTILES)
                .mapToObj(percentile ->
                    String.format(
                        Locale.ROOT,
                        "%s %.1f ms",
                        BenchText.name(percentile),
                        times.getValueAtPercentile(percentile) / 1e6))
                .collect(Collectors.joining(", ")));
  }

  /**
   * Writes a result for programs: counts, seconds, milliseconds; unknown values are null.
   *
   * @return one line, ended
   */
  public static String json(EngineResult result) {
    return document(result) + System.lineSeparator();
  }

  /** Writes a result with each answer, for the page. */
  static String jsonWithSamples(EngineResult result) {
    return document(result)
        .put("samples", result.samples().stream().map(EngineText::row).toList())
        .toString();
  }

  private static List<@Nullable Object> row(Sample sample) {
    return Arrays.asList(
        sample.startSeconds(),
        sample.endSeconds(),
        sample.firstTokenMillis(),
        JsonFields.known(sample.prompt()),
        JsonFields.known(sample.reused()),
        sample.generated());
  }

  private static JsonFields document(EngineResult result) {
    Tokens tokens = result.tokens();
    return new JsonFields()
        .put("server", result.server())
        .put("model", result.model())
        .put("api", word(result.api()))
        .put("trace", result.trace())
        .put("pace", result.pace().toString())
        .number("seconds", result.seconds())
        .put("requests", result.sent())
        .put("completed", result.completed())
        .put("leftOut", result.leftOut())
        .put("skippedLines", result.skippedLines())
        .number("requestsPerSecond", result.requestsPerSecond())
        .number("tokensPerSecond", result.tokensPerSecond())
        .put("promptTokens", whole(tokens.prompt()))
        .put("prefilledTokens", whole(tokens.prefilled()))
        .put("reusedTokens", whole(tokens.reused()))
        .number("reusedShare", tokens.reusedShare())
        .put("reuseSource", tokens.source() == Source.NOT_REPORTED ? null : word(tokens.source()))
        .put("generatedTokens", tokens.generated())
        .put("generatedEstimated", tokens.estimated())
        .number("wordsPerToken", result.wordsPerToken())
        .put("firstTokenMillis", millis(result.firstToken()))
        .put("interTokenMillis", millis(result.interToken()))
        .put("requestMillis", millis(result.latency()))
        .put(
            "fairness",
            new JsonFields()
                .number("reuse", result.reuseFairness())
                .number("firstToken", result.latencyFairness()))
        .list("tenants", result.tenants(), EngineText::tenant)
        .put("errors", result.errors())
        .list(
            "errorKinds",
            result.faults(),
            fault ->
                new JsonFields()
                    .put("kind", fault.kind())
                    .put("count", fault.count())
                    .put("first", fault.first()))
        .put("stopped", result.stopped());
  }

  private static JsonFields tenant(Tenant tenant) {
    return new JsonFields()
        .put("tenant", tenant.name())
        .put("completed", tenant.completed())
        .put("promptTokens", whole(tenant.prompt()))
        .put("reusedTokens", whole(tenant.reused()))
        .number("firstTokenMillis", tenant.firstTokenMillis());
  }

  private static JsonFields millis(Histogram times) {
    boolean any = times.getTotalCount() > 0;
    JsonFields percentiles = new JsonFields();
    percentiles.number("mean", any ? times.getMean() / 1e6 : Double.NaN);
    for (double percentile : PERCENTILES) {
      percentiles.number(
          BenchText.name(percentile),
          any ? times.getValueAtPercentile(percentile) / 1e6 : Double.NaN);
    }
    return percentiles;
  }

  private static @Nullable Long whole(double count) {
    return Double.isNaN(count) ? null : Math.round(count);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
