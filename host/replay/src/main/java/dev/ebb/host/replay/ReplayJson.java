package dev.ebb.host.replay;

import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/**
 * Reports as JSON: {@code {"traces": [...], "runs": [...]}}. Ratios are 0 to 1; unknown values are
 * null. A failed run only has its progress.
 */
public final class ReplayJson {

  private static final JsonFactory FACTORY = new JsonFactory();

  private ReplayJson() {}

  /**
   * Writes reports.
   *
   * @param reports one for each trace
   * @param series include the hit ratio over the course of each run
   */
  public static String write(List<ReplayReport> reports, boolean series) {
    return write(reports, series, Set.of());
  }

  /**
   * Writes reports in which some policies are candidates.
   *
   * @param reports one for each trace
   * @param series include the hit ratio over the course of each run
   * @param candidates the candidates, listed as {@code candidates} of each trace, with {@code
   *     verdicts}; left out if there are none
   */
  public static String write(List<ReplayReport> reports, boolean series, Set<String> candidates) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json =
        FACTORY.createGenerator(
            new ObjectWriteContext.Base() {
              @Override
              public DefaultPrettyPrinter getPrettyPrinter() {
                return new DefaultPrettyPrinter();
              }

              @Override
              public boolean hasPrettyPrinter() {
                return true;
              }
            },
            text)) {
      json.writeStartObject();
      json.writeArrayPropertyStart("traces");
      reports.forEach(report -> trace(json, report, candidates));
      json.writeEndArray();
      json.writeArrayPropertyStart("runs");
      for (ReplayReport report : reports) {
        report.runs().forEach(run -> run(json, report, run, series));
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void trace(JsonGenerator json, ReplayReport report, Set<String> candidates) {
    json.writeStartObject();
    json.writeStringProperty("trace", report.trace());
    json.writeStringProperty("model", report.model().label());
    count(json, "requests", report.requests());
    count(json, "references", report.references());
    count(json, "distinctBlocks", report.distinctBlocks());
    count(json, "blockTokens", report.blockTokens());
    json.writeNumberProperty("lookahead", report.lookahead());
    json.writeNumberProperty("skippedLines", report.skippedLines());
    json.writeArrayPropertyStart("skippedReasons");
    report.skippedReasons().forEach(json::writeString);
    json.writeEndArray();
    json.writeNumberProperty("decodeSeconds", report.decodeNanos() / 1e9);
    json.writeNumberProperty("decodeBytes", report.decodeBytes());
    number(json, "decodeReferencesPerSecond", decodeRate(report));
    text(json, "failure", report.failure());
    json.writeArrayPropertyStart("best");
    report.capacities().forEach(capacity -> best(json, report, capacity));
    json.writeEndArray();
    if (!candidates.isEmpty()) {
      names(json, "candidates", candidates.stream().sorted().toList());
      json.writeArrayPropertyStart("verdicts");
      CandidateVerdict.of(report, candidates).forEach(verdict -> verdict(json, verdict));
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void best(JsonGenerator json, ReplayReport report, long capacity) {
    json.writeStartObject();
    json.writeNumberProperty("capacityBlocks", capacity);
    names(json, "policies", report.best(capacity).stream().map(ReplayResult::policy).toList());
    json.writeEndObject();
  }

  private static void verdict(JsonGenerator json, CandidateVerdict verdict) {
    json.writeStartObject();
    json.writeStringProperty("policy", verdict.policy());
    json.writeStringProperty("text", verdict.text());
    json.writeArrayPropertyStart("results");
    for (CandidateResult result : verdict.results()) {
      json.writeStartObject();
      json.writeNumberProperty("capacityBlocks", result.capacityBlocks());
      json.writeStringProperty("comparedWithLru", result.comparedWithLru().label());
      number(json, "lead", result.lead().points());
      number(json, "margin", result.lead().margin());
      count(json, "rank", result.rank());
      json.writeNumberProperty("of", result.of());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void names(JsonGenerator json, String name, List<String> values) {
    json.writeArrayPropertyStart(name);
    values.forEach(json::writeString);
    json.writeEndArray();
  }

  private static void run(
      JsonGenerator json, ReplayReport report, ReplayResult run, boolean series) {
    boolean known = run.failure() == null;
    json.writeStartObject();
    json.writeStringProperty("trace", run.trace());
    json.writeStringProperty("model", run.model().label());
    json.writeStringProperty("policy", run.policy());
    json.writeNumberProperty("capacityBlocks", run.capacityBlocks());
    json.writeNumberProperty("requests", run.requests());
    json.writeNumberProperty("references", run.references());
    count(json, "hits", known ? run.hits() : -1);
    number(json, "hitRatio", run.hitRatio());
    number(json, "missRatio", 1 - run.hitRatio());
    count(json, "prefixHitBlocks", known ? run.prefixHitBlocks() : -1);
    number(json, "prefixHitRatio", run.prefixHitRatio());
    count(json, "requestTokens", known ? run.requestTokens() : -1);
    count(json, "prefixHitTokens", known ? run.prefixHitTokens() : -1);
    number(json, "tokenHitRatio", run.tokenHitRatio());
    count(json, "prefillTokensP50", known ? run.prefill().p50() : -1);
    count(json, "prefillTokensP95", known ? run.prefill().p95() : -1);
    count(json, "prefillTokensP99", known ? run.prefill().p99() : -1);
    number(json, "rePrefillRate", known ? run.rePrefillRate() : Double.NaN);
    count(json, "rePrefillWindow", known ? run.rePrefillWindow() : -1);
    number(json, "fairness", known ? run.fairness() : Double.NaN);
    count(json, "evictions", known ? run.evictions() : -1);
    count(json, "refusals", known ? run.refusals() : -1);
    count(json, "notAdmittedBlocks", known ? run.notAdmittedBlocks() : -1);
    count(json, "rejectedBlocks", known ? run.rejectedBlocks() : -1);
    number(json, "nsPerAccess", known ? run.nanosPerAccess() : Double.NaN);
    number(json, "nsPerVictim", known ? run.nanosPerVictim() : Double.NaN);
    number(json, "optimumHitRatio", report.optimum(run.capacityBlocks()));
    number(json, "gapClosed", report.gapClosed(run));
    number(json, "referencesPerSecond", known ? run.referencesPerSecond() : Double.NaN);
    text(json, "failure", run.failure());
    spread(json, run.spread());
    if (series) {
      json.writeNumberProperty("requestsPerStep", run.requestsPerStep());
      json.writeArrayPropertyStart("series");
      for (HitStep step : run.series()) {
        if (step.references() > 0) {
          json.writeNumber(step.ratio());
        } else {
          json.writeNull();
        }
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  private static void spread(JsonGenerator json, @Nullable SeedSpread spread) {
    if (spread == null) {
      json.writeNullProperty("spread");
      return;
    }
    json.writeObjectPropertyStart("spread");
    json.writeNumberProperty("seeds", spread.seeds());
    spread(json, "hitRatio", spread.hitRatio());
    spread(json, "tokenHitRatio", spread.tokenHitRatio());
    spread(json, "prefillTokensP99", spread.prefillP99());
    json.writeEndObject();
  }

  private static void spread(JsonGenerator json, String name, Spread spread) {
    json.writeObjectPropertyStart(name);
    number(json, "min", spread.min());
    number(json, "max", spread.max());
    number(json, "mean", spread.mean());
    number(json, "standardDeviation", spread.standardDeviation());
    json.writeEndObject();
  }

  private static double decodeRate(ReplayReport report) {
    return report.failure() == null ? report.references() * 1e9 / report.decodeNanos() : Double.NaN;
  }

  private static void number(JsonGenerator json, String name, double value) {
    if (Double.isFinite(value)) {
      json.writeNumberProperty(name, value);
    } else {
      json.writeNullProperty(name);
    }
  }

  private static void count(JsonGenerator json, String name, long value) {
    if (value >= 0) {
      json.writeNumberProperty(name, value);
    } else {
      json.writeNullProperty(name);
    }
  }

  private static void text(JsonGenerator json, String name, @Nullable String value) {
    if (value == null) {
      json.writeNullProperty(name);
    } else {
      json.writeStringProperty(name, value);
    }
  }
}
