package dev.ebb.host.shadow;

import org.jspecify.annotations.Nullable;

/**
 * A candidate as of now.
 *
 * @param policy as the operator has written it
 * @param active whether it is the policy that decides
 * @param state how far it is
 * @param reason why it failed; null if it has not
 * @param estimate null while nothing is counted
 * @param sampledAccesses accesses in the sample since counting began
 * @param sampledEntries entries in its cache, a sample of what the live one would hold
 * @param enough whether these are enough to go by
 * @param nanosPerAccess time for a sampled access; NaN before the first
 * @param dropped sampled accesses that it did not hear of because it did not keep up
 */
public record ShadowReport(
    String policy,
    boolean active,
    State state,
    @Nullable String reason,
    @Nullable Estimate estimate,
    long sampledAccesses,
    long sampledEntries,
    boolean enough,
    double nanosPerAccess,
    long dropped) {

  /** How far a candidate is. */
  public enum State {
    /** Its cache does not hold what it would hold; nothing is counted. */
    WARMING_UP,
    /** It is counted. */
    RUNNING,
    /** It has broken its contract, and is no longer asked. */
    FAILED
  }
}
