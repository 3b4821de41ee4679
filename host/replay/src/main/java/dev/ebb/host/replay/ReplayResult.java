package dev.ebb.host.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one policy did with one trace at one capacity. Ratios are 0 to 1; NaN where a number is not
 * known.
 *
 * @param trace the trace's name
 * @param model what an id stands for
 * @param policy the policy as the user named it
 * @param capacityBlocks capacity in blocks
 * @param requests requests replayed
 * @param references blocks asked for
 * @param hits blocks found resident
 * @param prefixHitBlocks leading resident blocks of each request on arrival
 * @param requestTokens prompt tokens
 * @param prefixHitTokens prompt tokens covered by prefix hits
 * @param rePrefillRate evicted entries asked for again, of all evicted
 * @param rePrefillWindow evicted entries remembered for that
 * @param fairness Jain's index over the tenants' prefix-hit ratios
 * @param evictions entries evicted
 * @param refusals offers of the policy that could not leave
 * @param notAdmittedBlocks blocks left out because nothing more could leave
 * @param nanosPerAccess the policy's time for an access
 * @param nanosPerVictim time for an eviction
 * @param referencesPerSecond speed of the replay
 * @param series hits over the course of the trace
 * @param requestsPerStep requests in each step of the series
 * @param failure why the run ended early, null if it did not
 * @param failureStack where the policy failed, as text of several lines; empty if it threw nothing
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
    double rePrefillRate,
    long rePrefillWindow,
    double fairness,
    long evictions,
    long refusals,
    long notAdmittedBlocks,
    double nanosPerAccess,
    double nanosPerVictim,
    double referencesPerSecond,
    List<HitStep> series,
    int requestsPerStep,
    @Nullable String failure,
    String failureStack) {

  /** Copies the series. */
  public ReplayResult {
    series = List.copyOf(series);
  }

  /**
   * The result of a run that never began.
   *
   * @param trace the trace's name
   * @param model what an id stands for
   * @param policy the policy as the user named it
   * @param capacityBlocks capacity in blocks
   * @param failure why it did not begin
   * @param failureStack where the policy failed, empty if not known
   * @return a result without numbers
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
        unknown,
        0,
        unknown,
        0,
        0,
        0,
        unknown,
        unknown,
        unknown,
        List.of(),
        1,
        failure,
        failureStack);
  }

  /**
   * Blocks found resident, of all asked for.
   *
   * @return 0 to 1, NaN for an empty trace or a failed run
   */
  public double hitRatio() {
    return ratio(hits, references);
  }

  /**
   * Blocks usable as a prefix, of all asked for.
   *
   * @return 0 to 1, NaN for an empty trace or a failed run
   */
  public double prefixHitRatio() {
    return ratio(prefixHitBlocks, references);
  }

  /**
   * Tokens usable as a prefix, of all asked for.
   *
   * @return 0 to 1, NaN for an empty trace or a failed run
   */
  public double tokenHitRatio() {
    return ratio(prefixHitTokens, requestTokens);
  }

  private double ratio(long part, long whole) {
    return failure != null || whole == 0 ? Double.NaN : (double) part / whole;
  }
}
