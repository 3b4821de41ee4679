package dev.ebb.host.replay;

import dev.ebb.host.replay.tiers.TierUse;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of one policy on one trace at one capacity. Ratios are 0 to 1; NaN if a number is not
 * known.
 *
 * @param hits blocks found resident
 * @param prefixHitBlocks leading resident blocks of each request on arrival
 * @param prefill prompt tokens of a request without a prefix hit
 * @param rePrefillRate fraction of evicted entries that were requested again
 * @param rePrefillWindow evicted entries remembered for that
 * @param fairness Jain's index over the tenants' prefix-hit ratios
 * @param refusals victims offered by the policy that could not be evicted; -1 if one pass measured
 *     all capacities
 * @param notAdmittedBlocks blocks left out because nothing more could be evicted
 * @param rejectedBlocks blocks left out because the policy did not admit them
 * @param nanosPerAccess the policy's time for an access
 * @param nanosPerVictim time for an eviction
 * @param slowestNanos the longest time without an answer of the policy
 * @param failure why the run ended early, null if it did not
 * @param failureStack where the policy failed, as text of several lines; empty if it threw nothing
 * @param spread the spread over several seeds, of which the other numbers are the means; null for
 *     one seed
 * @param groups what became of the objects of a hybrid model; null for a model with one group
 * @param tiers what the memory and the disk did; null without a disk
 */
public record ReplayResult(
    String trace,
    ReplayModel model,
    String policy,
    long capacityBlocks,
    long requests,
    long references,
    long hits,
    long prefixHitBlocks,
    long requestTokens,
    long prefixHitTokens,
    PrefillTokens prefill,
    double rePrefillRate,
    long rePrefillWindow,
    double fairness,
    long evictions,
    long refusals,
    long notAdmittedBlocks,
    long rejectedBlocks,
    double nanosPerAccess,
    double nanosPerVictim,
    double slowestNanos,
    double referencesPerSecond,
    List<Step> series,
    int requestsPerStep,
    @Nullable String failure,
    String failureStack,
    @Nullable SeedSpread spread,
    @Nullable GroupUse groups,
    @Nullable TierUse tiers) {

  /**
   * One step of a replay.
   *
   * @param hits blocks found resident
   */
  public record Step(long hits, long references) {

    /** Returns the hit ratio: 0 to 1, NaN if there were no references. */
    public double ratio() {
      return references == 0 ? Double.NaN : (double) hits / references;
    }
  }

  public ReplayResult {
    series = List.copyOf(series);
  }

  /**
   * Returns the result of a run that could not start.
   *
   * @param failureStack where the policy failed, empty if not known
   */
  static ReplayResult failed(
      String trace,
      ReplayModel model,
      String policy,
      long capacityBlocks,
      String failure,
      String failureStack) {
    double unknown = Double.NaN;
    return new ReplayResult(
        trace,
        model,
        policy,
        capacityBlocks,
        0,
        0,
        0,
        0,
        0,
        0,
        PrefillTokens.UNKNOWN,
        unknown,
        0,
        unknown,
        0,
        0,
        0,
        0,
        unknown,
        unknown,
        unknown,
        unknown,
        List.of(),
        1,
        failure,
        failureStack,
        null,
        null,
        null);
  }

  /** Returns whether one pass over the trace measured all capacities. */
  public boolean isOfOnePass() {
    return failure == null && refusals < 0;
  }

  /** Returns the hit ratio: 0 to 1, NaN for an empty trace or a failed run. */
  public double hitRatio() {
    return spread == null ? ratio(hits, references) : spread.hitRatio().mean();
  }

  /** Returns the prefix-hit ratio of blocks: 0 to 1, NaN for an empty trace or a failed run. */
  public double prefixHitRatio() {
    return ratio(prefixHitBlocks, references);
  }

  /** Returns the prefix-hit ratio of tokens: 0 to 1, NaN for an empty trace or a failed run. */
  public double tokenHitRatio() {
    return spread == null ? ratio(prefixHitTokens, requestTokens) : spread.tokenHitRatio().mean();
  }

  private double ratio(long part, long whole) {
    return failure != null || whole == 0 ? Double.NaN : (double) part / whole;
  }

  /**
   * How many prompt tokens of a request have to be computed, over all requests; -1 if no request
   * has tokens. Exact up to 2,047 tokens, otherwise within 0.1 %.
   */
  public record PrefillTokens(long p50, long p95, long p99) {

    /** No request has tokens. */
    public static final PrefillTokens UNKNOWN = new PrefillTokens(-1, -1, -1);

    static PrefillTokens of(Histogram requests) {
      return requests.getTotalCount() == 0
          ? UNKNOWN
          : new PrefillTokens(
              requests.getValueAtPercentile(50),
              requests.getValueAtPercentile(95),
              requests.getValueAtPercentile(99));
    }
  }

  /**
   * What became of the objects of a hybrid model's chunks.
   *
   * @param blocks what each group holds at the end, in units of the weights
   * @param thinned objects that were evicted while their chunk stayed
   * @param unusableBlocks chunks that were resident on arrival, and not usable because an object of
   *     another group was missing
   */
  public record GroupUse(List<Long> blocks, long thinned, long unusableBlocks) {

    /** Copies the list. */
    public GroupUse {
      blocks = List.copyOf(blocks);
    }
  }
}
