package dev.ebb.host.replay;

import dev.ebb.host.htmlreport.JsonFields;
import dev.ebb.host.replay.ReplayResult.GroupUse;
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
            .put("trace", report.trace())
            .put("model", report.model().toString())
            .count("requests", report.requests())
            .count("references", report.references())
            .count("distinctBlocks", report.distinctBlocks())
            .count("blockTokens", report.blockTokens())
            .put("blockTokensDoubt", report.blockTokensDoubt())
            .put("lookahead", report.lookahead())
            .put("groups", report.groups() == null ? null : report.groups().toString())
            .put("skippedLines", report.skippedLines())
            .put("skippedReasons", report.skippedReasons())
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
        .put("policy", verdict.policy())
        .put("text", verdict.text())
        .list(
            "results",
            verdict.results(),
            result ->
                new JsonFields()
                    .put("capacityBlocks", result.capacityBlocks())
                    .put("comparedWithLru", result.comparedWithLru().label())
                    .number("lead", result.lead().points())
                    .number("margin", result.lead().margin())
                    .count("rank", result.rank())
                    .put("of", result.of()));
  }

  /** Returns one run as a line of JSON: it has no optimum yet, which is null. */
  public static String line(ReplayResult run) {
    return run(run, Double.NaN, Double.NaN, false).toString();
  }

  private static JsonFields run(
      ReplayResult run, double optimum, double gapClosed, boolean series) {
    boolean known = run.failure() == null;
    JsonFields json =
        new JsonFields()
            .put("trace", run.trace())
            .put("model", run.model().toString())
            .put("policy", run.policy())
            .put("capacityBlocks", run.capacityBlocks())
            .put("requests", run.requests())
            .put("references", run.references())
            .count("hits", known ? run.hits() : -1)
            .number("hitRatio", run.hitRatio())
            .number("missRatio", 1 - run.hitRatio())
            .count("prefixHitBlocks", known ? run.prefixHitBlocks() : -1)
            .number("prefixHitRatio", run.prefixHitRatio())
            .count("requestTokens", known ? run.requestTokens() : -1)
            .count("prefixHitTokens", known ? run.prefixHitTokens() : -1)
            .number("tokenHitRatio", run.tokenHitRatio())
            .count("prefillTokensP50", known ? run.prefill().p50() : -1)
            .count("prefillTokensP95", known ? run.prefill().p95() : -1)
            .count("prefillTokensP99", known ? run.prefill().p99() : -1)
            .number("rePrefillRate", known ? run.rePrefillRate() : Double.NaN)
            .count("rePrefillWindow", known ? run.rePrefillWindow() : -1)
            .number("fairness", known ? run.fairness() : Double.NaN)
            .count("evictions", known ? run.evictions() : -1)
            .put("onePass", run.isOfOnePass())
            .count("refusals", known ? run.refusals() : -1)
            .count("notAdmittedBlocks", known ? run.notAdmittedBlocks() : -1)
            .count("rejectedBlocks", known ? run.rejectedBlocks() : -1)
            .number("nsPerAccess", known ? run.nanosPerAccess() : Double.NaN)
            .number("nsPerVictim", known ? run.nanosPerVictim() : Double.NaN)
            .number("slowestCallNs", known ? run.slowestNanos() : Double.NaN)
            .number("optimumHitRatio", optimum)
            .number("gapClosed", gapClosed)
            .number("referencesPerSecond", known ? run.referencesPerSecond() : Double.NaN)
            .put("failure", run.failure())
            .put("spread", spread(run.spread()));
    GroupUse groups = run.groups();
    if (groups != null) {
      json.put("groupBlocks", groups.blocks())
          .put("thinnedObjects", groups.thinned())
          .put("unusableBlocks", groups.unusableBlocks());
    }
    TierUse tiers = run.tiers();
    if (tiers != null) {
      json.put("tiers", tiers(tiers));
    }
    if (series) {
      json.put("requestsPerStep", run.requestsPerStep())
          .numbers("series", run.series().stream().mapToDouble(ReplayResult.Step::ratio).toArray());
    }
    return json;
  }

  private static JsonFields tiers(TierUse use) {
    return new JsonFields()
        .put("memoryBlocks", use.memoryBlocks())
        .put("diskBlocks", use.diskBlocks())
        .put("policy", use.policy())
        .put("diskPolicy", use.diskPolicy())
        .put("admission", use.admission())
        .put("memoryHits", use.memoryHits())
        .put("diskHits", use.diskHits())
        .put("demotedBlocks", use.demotedBlocks())
        .put("writtenBlocks", use.writtenBlocks())
        .put("regionBlocks", use.regionBlocks())
        .put("rewrittenBlocks", use.rewrittenBlocks())
        .put("diskEvictions", use.diskEvictions())
        .number("hitsPerWrite", use.hitsPerWrite())
        .number("writeAmplification", use.writeAmplification())
        .number("diskWritesPerDay", use.fullWritesPerDay());
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
    return new JsonFields()
        .number("min", spread.min())
        .number("max", spread.max())
        .number("mean", spread.mean())
        .number("standardDeviation", spread.standardDeviation());
  }
}
