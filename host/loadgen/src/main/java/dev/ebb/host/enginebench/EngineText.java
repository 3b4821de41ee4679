package dev.ebb.host.enginebench;

import dev.ebb.host.enginebench.EngineResult.Fault;
import dev.ebb.host.enginebench.EngineResult.PromptLimit;
import dev.ebb.host.enginebench.EngineResult.Sample;
import dev.ebb.host.enginebench.EngineResult.Source;
import dev.ebb.host.enginebench.EngineResult.Tenant;
import dev.ebb.host.enginebench.EngineResult.Tokens;
import dev.ebb.host.htmlreport.HtmlPage;
import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.loadgen.BenchText;
import dev.ebb.host.text.Computed;
import dev.ebb.host.text.TextTemplate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Results as text, as JSON, and as one self-contained HTML page with charts. */
public final class EngineText {

  private static final double[] PERCENTILES = {50, 95, 99, 100};
  private static final String NOT_REPORTED = "not reported";

  private static final TextTemplate<EngineResult> TEXT =
      TextTemplate.of(
          EngineResult.class,
          """
          server        {server}, model {model}, {apiName}
          load          {trace}, {pace}, {sent:request|requests} in {seconds:%.1f} s
          [{?leftOut}left out      {leftOut:request|requests} with longer prompts]
          throughput    {requestsPerSecond:%.2f} requests/s, {tokensPerSecond:%,.1f} generated tokens/s
          prompts       {prompt} tokens: {prefilled} prefilled, {reused} reused[{?reuseKnown} ({tokens.reusedShare:%.1f %%}), by the {source}]
          answers       {tokens.generated:token|tokens}[{?tokens.estimated}, estimated: the server reports no usage]
          first token   {firstTimes}
          inter-token   {interTimes}
          request       {requestTimes}
          [{?tenants}fairness      reuse {reuseIndex}, time to first token {latencyIndex} (Jain's index over {tenantCount:tenant|tenants})]
          """,
          new Computed<>("apiName", result -> word(result.api())),
          new Computed<>("prompt", result -> count(result.tokens().prompt())),
          new Computed<>("prefilled", result -> count(result.tokens().prefilled())),
          new Computed<>("reused", result -> count(result.tokens().reused())),
          new Computed<>("reuseKnown", result -> !Double.isNaN(result.tokens().reused())),
          new Computed<>("source", result -> source(result.tokens())),
          new Computed<>("firstTimes", result -> times(result.firstToken())),
          new Computed<>("interTimes", result -> times(result.interToken())),
          new Computed<>("requestTimes", result -> times(result.latency())),
          new Computed<>("reuseIndex", result -> index(result.reuseFairness())),
          new Computed<>("latencyIndex", result -> index(result.latencyFairness())),
          new Computed<>("tenantCount", result -> result.tenants().size()));

  private static final TextTemplate<Fault> FAULT =
      TextTemplate.of(
          Fault.class, "errors        {count:count} of kind '{kind}', the first: {first}");

  private static final TextTemplate<EngineResult> END =
      TextTemplate.of(
          EngineResult.class,
          """
          [{?promptLimit}too long      {promptLimitText}]
          [{?stopped}stopped       {stopped}]
          """,
          new Computed<>("promptLimitText", result -> text(result.promptLimit())));

  private static final HtmlPage PAGE =
      new HtmlPage(
          EngineText.class,
          "report/report.html",
          List.of("report/page.css"),
          List.of("report/facts.js", "report/charts.js", "report/page.js"));

  private EngineText() {}

  /** Writes a result for people: lines, each ended. */
  public static String write(EngineResult result) {
    StringBuilder text = new StringBuilder(TEXT.text(result));
    result.faults().forEach(fault -> text.append(FAULT.text(fault)));
    return text.append(END.text(result)).toString();
  }

  private static String source(Tokens tokens) {
    return tokens.source() == Source.USAGE
        ? "usage in the answers"
        : "server's metrics, other clients included";
  }

  private static String count(double count) {
    return Double.isNaN(count) ? NOT_REPORTED : String.format(Locale.ROOT, "%,.0f", count);
  }

  private static String text(@Nullable PromptLimit limit) {
    if (limit == null) {
      return "";
    }
    String all =
        "for all prompts with their answers, the server needs a context of about %d tokens"
            .formatted(limit.contextTokens());
    return limit.maxInputTokens() == 0
        ? all
        : "--max-input-tokens %d leaves out those that do not fit; %s"
            .formatted(limit.maxInputTokens(), all);
  }

  private static String index(double index) {
    return Double.isNaN(index) ? NOT_REPORTED : String.format(Locale.ROOT, "%.3f", index);
  }

  private static String times(Histogram times) {
    return times.getTotalCount() == 0
        ? "not measured"
        : DoubleStream.of(PERCENTILES)
            .mapToObj(each ->
                String.format(
                    Locale.ROOT,
                    "%s %.1f ms",
                    BenchText.name(each),
                    times.getValueAtPercentile(each) / 1e6))
            .collect(Collectors.joining(", "));
  }

  /**
   * Writes a result for programs: counts, seconds, milliseconds; unknown values are null.
   *
   * @return one line, ended
   */
  public static String json(EngineResult result) {
    return document(result) + System.lineSeparator();
  }

  /** Writes a result with each answer as a page. */
  public static String html(EngineResult result) {
    JsonFields document =
        document(result).put("samples", result.samples().stream().map(EngineText::row).toList());
    return PAGE.write(Map.of("data", HtmlPage.data("id=\"result\"", document.toString())));
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
        .values(result, "server model api trace")
        .put("pace", result.pace().toString())
        .values(result, "seconds requests=sent")
        .values(result, "completed leftOut skippedLines requestsPerSecond tokensPerSecond")
        .put("promptTokens", whole(tokens.prompt()))
        .put("prefilledTokens", whole(tokens.prefilled()))
        .put("reusedTokens", whole(tokens.reused()))
        .number("reusedShare", tokens.reusedShare())
        .put("reuseSource", tokens.source() == Source.NOT_REPORTED ? null : word(tokens.source()))
        .values(tokens, "generatedTokens=generated generatedEstimated=estimated")
        .number("wordsPerToken", result.wordsPerToken())
        .put("firstTokenMillis", millis(result.firstToken()))
        .put("interTokenMillis", millis(result.interToken()))
        .put("requestMillis", millis(result.latency()))
        .put(
            "fairness",
            new JsonFields().values(result, "reuse=reuseFairness firstToken=latencyFairness"))
        .list("tenants", result.tenants(), EngineText::tenant)
        .put("errors", result.errors())
        .list(
            "errorKinds",
            result.faults(),
            fault -> new JsonFields().values(fault, "kind count first"))
        .put("promptLimit", limit(result.promptLimit()))
        .put("stopped", result.stopped());
  }

  private static JsonFields tenant(Tenant tenant) {
    return new JsonFields()
        .values(tenant, "tenant=name completed")
        .put("promptTokens", whole(tenant.prompt()))
        .put("reusedTokens", whole(tenant.reused()))
        .number("firstTokenMillis", tenant.firstTokenMillis());
  }

  private static @Nullable JsonFields limit(@Nullable PromptLimit limit) {
    return limit == null ? null : new JsonFields().values(limit, "maxInputTokens contextTokens");
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
