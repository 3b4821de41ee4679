package dev.ebb.host.admin.policy;

import dev.ebb.host.http.Json;
import dev.ebb.host.http.View;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.shadow.Shadows;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The shadow policies.
 *
 * @param rate the share of sampled keys; null without sampling
 * @param since when counting began, ISO 8601; null before it begins
 * @param hitRatio measured hit ratio of the cache since then; null before counting begins
 * @param prefixHitRatio the same of the chunks of prompts alone, whose hits count only behind
 *     others; null without such chunks
 * @param candidates the active policy, estimated like the others, then the others with the best
 *     first
 */
public record ShadowDocument(
    String policy,
    @Nullable Double rate,
    @Nullable String since,
    @Nullable Double hitRatio,
    @Nullable Double prefixHitRatio,
    List<Candidate> candidates) {

  /**
   * A shadow policy.
   *
   * @param memory how many times the memory of the live cache it has
   * @param state {@code warming-up}, {@code running} or {@code failed}
   * @param reason why it failed; null if it has not
   * @param hitRatio estimated hit ratio; null until counting begins
   * @param low lower end of the 95 % confidence interval
   * @param difference difference to the measured hit ratio of the same period
   * @param prefixHitRatio estimated hit ratio of the chunks of prompts; null without such chunks
   * @param hitBytes estimated bytes of values it would have served
   * @param droppedAccesses sampled accesses that were dropped because the policy did not keep up
   */
  public record Candidate(
      String policy,
      String base,
      double memory,
      long capacityBytes,
      boolean active,
      String state,
      @Nullable String reason,
      @Nullable Double hitRatio,
      @Nullable Double low,
      @Nullable Double high,
      @Nullable Double difference,
      @Nullable Double prefixHitRatio,
      @Nullable Double hitBytes,
      boolean enough,
      long sampledAccesses,
      long neededAccesses,
      long sampledEntries,
      @Nullable Double nanosPerAccess,
      long droppedAccesses) {

    static Candidate of(ShadowReport report, long liveBytes) {
      Estimate estimate = report.estimate();
      return View.of(
              Candidate.class,
              estimate == null ? new Object[] {report} : new Object[] {report, estimate})
          .with("base", report.spec().policy().display())
          .with("memory", report.spec().memory())
          .with("capacityBytes", Math.round(report.spec().memory() * liveBytes))
          .with(
              "difference", estimate == null ? null : estimate.hitRatio() - estimate.liveHitRatio())
          .with("droppedAccesses", report.dropped())
          .get();
    }
  }

  static ShadowDocument of(Shadows.Report report) {
    Estimate live =
        report.candidates().stream()
            .map(ShadowReport::estimate)
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    return new ShadowDocument(
        report.active(),
        report.rate() == 0 ? null : report.rate(),
        report.since() == null ? null : report.since().toString(),
        live == null ? null : live.liveHitRatio(),
        live == null ? null : Json.known(live.livePrefixHitRatio()),
        report.candidates().stream()
            .map(each -> Candidate.of(each, report.capacityBytes()))
            .toList());
  }
}
