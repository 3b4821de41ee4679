package dev.ebb.host.admin;

import dev.ebb.host.http.Json;
import dev.ebb.host.shadow.Estimate;
import dev.ebb.host.shadow.ShadowReport;
import dev.ebb.host.shadow.Shadows;
import dev.ebb.host.store.ObjectStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The candidates beside the active policy.
 *
 * @param rate the share of keys that is sampled; null if nothing is
 * @param since when counting began, ISO 8601; null while it has not
 * @param hitRatio of the cache since then, counted; null while nothing is
 * @param candidates the active policy first, estimated like the others; then best first
 */
public record ShadowDocument(
    String policy,
    @Nullable Double rate,
    @Nullable String since,
    @Nullable Double hitRatio,
    List<Candidate> candidates) {

  /**
   * A candidate.
   *
   * @param active whether it is the policy that decides
   * @param state {@code warming-up}, {@code running} or {@code failed}
   * @param reason why it failed; null if it has not
   * @param hitRatio estimated; null while nothing is counted
   * @param low lower end of the band in which the true one lies 19 times in 20
   * @param difference to the counted hit ratio of the same while
   * @param hitBytes estimated bytes of values it would have served
   * @param enough whether the sample is large enough to go by
   * @param sampledAccesses accesses in the sample since counting began
   * @param sampledEntries entries its cache holds, a sample of what the live one would hold
   * @param droppedAccesses sampled accesses it did not hear of because it did not keep up
   */
  public record Candidate(
      String policy,
      boolean active,
      String state,
      @Nullable String reason,
      @Nullable Double hitRatio,
      @Nullable Double low,
      @Nullable Double high,
      @Nullable Double difference,
      @Nullable Double hitBytes,
      boolean enough,
      long sampledAccesses,
      long sampledEntries,
      @Nullable Double nanosPerAccess,
      long droppedAccesses) {

    static Candidate of(ShadowReport report) {
      Estimate estimate = report.estimate();
      return new Candidate(
          report.policy(),
          report.active(),
          EvictionDocument.word(report.state()),
          report.reason(),
          estimate == null ? null : estimate.hitRatio(),
          estimate == null ? null : estimate.low(),
          estimate == null ? null : estimate.high(),
          estimate == null ? null : estimate.hitRatio() - estimate.liveHitRatio(),
          estimate == null ? null : estimate.hitBlocks() * ObjectStore.UNIT_BYTES,
          report.enough(),
          report.sampledAccesses(),
          report.sampledEntries(),
          Json.known(report.nanosPerAccess()),
          report.dropped());
    }
  }

  static ShadowDocument of(Shadows.Report report) {
    Double live =
        report.candidates().stream()
            .map(ShadowReport::estimate)
            .filter(estimate -> estimate != null)
            .map(Estimate::liveHitRatio)
            .findFirst()
            .orElse(null);
    return new ShadowDocument(
        report.active(),
        report.rate() == 0 ? null : report.rate(),
        report.since() == null ? null : report.since().toString(),
        live,
        report.candidates().stream().map(Candidate::of).toList());
  }
}
