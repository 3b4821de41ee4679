package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.EngineResult.Fault;
import dev.ebb.host.enginebench.EngineResult.Sample;
import dev.ebb.host.enginebench.EngineResult.Source;
import dev.ebb.host.enginebench.EngineResult.Tenant;
import dev.ebb.host.enginebench.EngineResult.Tokens;
import dev.ebb.host.loadgen.BenchText;
import dev.ebb.host.units.Plural;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

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
    return document(result).toString() + System.lineSeparator();
  }

  /** Writes a result with each answer, for the page. */
  static String jsonWithSamples(EngineResult result) {
    ObjectNode document = document(result);
    ArrayNode samples = document.putArray("samples");
    for (Sample sample : result.samples()) {
      ArrayNode row = samples.addArray();
      row.add(sample.startSeconds()).add(sample.endSeconds()).add(sample.firstTokenMillis());
      add(row, sample.prompt());
      add(row, sample.reused());
      row.add(sample.generated());
    }
    return document.toString();
  }

  private static void add(ArrayNode row, double value) {
    if (Double.isFinite(value)) {
      row.add(value);
    } else {
      row.addNull();
    }
  }

  private static ObjectNode document(EngineResult result) {
    Tokens tokens = result.tokens();
    ObjectNode document = JsonMapper.shared().createObjectNode();
    document
        .put("server", result.server())
        .put("model", result.model())
        .put("api", word(result.api()))
        .put("trace", result.trace())
        .put("pace", result.pace().toString());
    number(document, "seconds", result.seconds());
    document
        .put("requests", result.sent())
        .put("completed", result.completed())
        .put("leftOut", result.leftOut())
        .put("skippedLines", result.skippedLines());
    number(document, "requestsPerSecond", result.requestsPerSecond());
    number(document, "tokensPerSecond", result.tokensPerSecond());
    count(document, "promptTokens", tokens.prompt());
    count(document, "prefilledTokens", tokens.prefilled());
    count(document, "reusedTokens", tokens.reused());
    number(document, "reusedShare", tokens.reusedShare());
    document.put(
        "reuseSource", tokens.source() == Source.NOT_REPORTED ? null : word(tokens.source()));
    document
        .put("generatedTokens", tokens.generated())
        .put("generatedEstimated", tokens.estimated());
    number(document, "wordsPerToken", result.wordsPerToken());
    times(document, "firstTokenMillis", result.firstToken());
    times(document, "interTokenMillis", result.interToken());
    times(document, "requestMillis", result.latency());
    ObjectNode fairness = document.putObject("fairness");
    number(fairness, "reuse", result.reuseFairness());
    number(fairness, "firstToken", result.latencyFairness());
    ArrayNode tenants = document.putArray("tenants");
    for (Tenant tenant : result.tenants()) {
      ObjectNode row = tenants.addObject().put("tenant", tenant.name());
      row.put("completed", tenant.completed());
      count(row, "promptTokens", tenant.prompt());
      count(row, "reusedTokens", tenant.reused());
      number(row, "firstTokenMillis", tenant.firstTokenMillis());
    }
    document.put("errors", result.errors());
    ArrayNode faults = document.putArray("errorKinds");
    for (Fault fault : result.faults()) {
      faults
          .addObject()
          .put("kind", fault.kind())
          .put("count", fault.count())
          .put("first", fault.first());
    }
    document.put("stopped", result.stopped());
    return document;
  }

  private static void times(ObjectNode document, String name, Histogram times) {
    ObjectNode percentiles = document.putObject(name);
    number(percentiles, "mean", times.getTotalCount() == 0 ? Double.NaN : times.getMean() / 1e6);
    for (double percentile : PERCENTILES) {
      number(
          percentiles,
          BenchText.name(percentile),
          times.getTotalCount() == 0 ? Double.NaN : times.getValueAtPercentile(percentile) / 1e6);
    }
  }

  private static void count(ObjectNode document, String name, double count) {
    if (Double.isNaN(count)) {
      document.putNull(name);
    } else {
      document.put(name, Math.round(count));
    }
  }

  private static void number(ObjectNode document, String name, double value) {
    if (Double.isFinite(value)) {
      document.put(name, value);
    } else {
      document.putNull(name);
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
