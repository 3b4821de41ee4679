package dev.ebb.host.replay;

import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.replay.SeedSpread.Spread;
import dev.ebb.host.replay.tiers.TierUse;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reports as JSON: {@code {"traces": [...], "runs": [...]}}. Ratios are 0 to 1; unknown values are
 * null. A failed run only has its progress.
 */
public final class ReplayJson {

  /** The fields of a run that a failed one does not have. */
  private static final String MEASURED =
      "hits prefixHitBlocks requestTokens prefixHitTokens prefillTokensP50 prefillTokensP95"
          + " prefillTokensP99 rePrefillRate rePrefillWindow fairness evictions refusals"
          + " notAdmittedBlocks rejectedBlocks nsPerAccess nsPerVictim slowestCallNs"
          + " referencesPerSecond";

  private ReplayJson() {}

  /** Writes reports in which some policies are candidates: {@link #fields} as text. */
  public static String write(List<ReplayReport> reports, boolean series, Set<String> candidates) {
    return fields(reports, series, candidates).indented();
  }

  /**
   * Returns reports in which some policies are candidates.
   *
   * @param reports one for each trace
   * @param series include the hit ratio over the course of each run
   * @param candidates the candidates, listed as {@code candidates} of each trace, with {@code
   *     verdicts}; left out if there are none
   */
  public static JsonFields fields(
      List<ReplayReport> reports, boolean series, Set<String> candidates) {
    List<Row> rows =
        reports.stream()
            .flatMap(report -> report.runs().stream().map(run -> new Row(report, run)))
            .toList();
    return new JsonFields()
        .list("traces", reports, report -> trace(report, candidates))
        .list(
            "runs",
            rows,
            row ->
                run(
                    row.run,
                    row.report.optimum(row.run.capacityBlocks()),
                    row.report.gapClosed(row.run),
                    series));
  }

  private record Row(ReplayReport report, ReplayResult run) {}

  private static JsonFields trace(ReplayReport report, Set<String> candidates) {
    boolean known = report.failure() == null;
    JsonFields json =
        new JsonFields()
            .values(
                report,
                "trace model requests references distinctBlocks blockTokens blockTokensDoubt"
                    + " lookahead")
            .put("groups", report.groups() == null ? null : report.groups().toString())
            .values(report, "skippedLines skippedReasons")
            .put("decodeSeconds", report.decodeNanos() / 1e9)
            .put("decodeBytes", report.decodeBytes())
            .number(
                "decodeReferencesPerSecond",
                known ? report.references() * 1e9 / report.decodeNanos() : Double.NaN)
            .put("failure", report.failure())
            .list("best", report.capacities(), capacity -> best(report, capacity));
    if (!candidates.isEmpty()) {
      json.put("candidates", candidates.stream().sorted().toList())
          .list("verdicts", CandidateVerdict.of(report, candidates), ReplayJson::verdict);
    }
    return json;
  }

  private static JsonFields best(ReplayReport report, long capacity) {
    return new JsonFields()
        .put("capacityBlocks", capacity)
        .put("policies", report.best(capacity).stream().map(ReplayResult::policy).toList());
  }

  private static JsonFields verdict(CandidateVerdict verdict) {
    return new JsonFields()
        .values(verdict, "policy text")
        .list(
            "results",
            verdict.results(),
            result ->
                new JsonFields()
                    .put("capacityBlocks", result.capacityBlocks())
                    .put("comparedWithLru", result.comparedWithLru().label())
                    .values(result.lead(), "lead=points margin")
                    .values(result, "rank of"));
  }

  /** Returns one run as a line of JSON: it has no optimum yet, which is null. */
  public static String line(ReplayResult run) {
    return run(run, Double.NaN, Double.NaN, false).toString();
  }

  private static JsonFields run(
      ReplayResult run, double optimum, double gapClosed, boolean series) {
    JsonFields json =
        new JsonFields()
            .values(run, "trace model policy capacityBlocks requests references hits hitRatio")
            .number("missRatio", 1 - run.hitRatio())
            .values(
                run, "prefixHitBlocks prefixHitRatio requestTokens prefixHitTokens tokenHitRatio")
            .values(run.prefill(), "prefillTokensP50=p50 prefillTokensP95=p95 prefillTokensP99=p99")
            .values(
                run,
                "rePrefillRate rePrefillWindow fairness evictions onePass=isOfOnePass refusals"
                    + " notAdmittedBlocks rejectedBlocks nsPerAccess=nanosPerAccess"
                    + " nsPerVictim=nanosPerVictim slowestCallNs=slowestNanos")
            .number("optimumHitRatio", optimum)
            .number("gapClosed", gapClosed)
            .values(run, "referencesPerSecond failure")
            .put("spread", spread(run.spread()));
    if (run.failure() != null) {
      json.unknown(MEASURED);
    }
    if (run.groups() != null) {
      json.values(run.groups(), "groupBlocks=blocks thinnedObjects=thinned unusableBlocks");
    }
    if (run.tiers() != null) {
      json.put("tiers", tiers(run.tiers()));
    }
    if (series) {
      json.put("requestsPerStep", run.requestsPerStep())
          .numbers("series", run.series().stream().mapToDouble(ReplayResult.Step::ratio).toArray());
    }
    return json;
  }

  private static JsonFields tiers(TierUse use) {
    return new JsonFields()
        .values(
            use,
            "memoryBlocks diskBlocks policy diskPolicy admission memoryHits diskHits demotedBlocks"
                + " writtenBlocks regionBlocks rewrittenBlocks diskEvictions hitsPerWrite"
                + " writeAmplification diskWritesPerDay=fullWritesPerDay");
  }

  private static @Nullable JsonFields spread(@Nullable SeedSpread spread) {
    return spread == null
        ? null
        : new JsonFields()
            .put("seeds", spread.seeds())
            .put("hitRatio", spread(spread.hitRatio()))
            .put("tokenHitRatio", spread(spread.tokenHitRatio()))
            .put("prefillTokensP99", spread(spread.prefillP99()));
  }

  private static JsonFields spread(Spread spread) {
    return new JsonFields().values(spread, "min max mean standardDeviation");
  }
}
