package dev.ebb.host.shadow;

import dev.ebb.host.config.ShadowSpec;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one shadow policy.
 *
 * @param policy the policy as the operator wrote it
 * @param estimate null until counting begins
 * @param tenants the same of the sampled accesses of each tenant, those with most first
 * @param nanosPerAccess time for a sampled access; NaN before the first
 * @param dropped sampled accesses that were dropped because the policy did not keep up
 */
public record ShadowReport(
    String policy,
    ShadowSpec spec,
    boolean active,
    State state,
    @Nullable String reason,
    @Nullable Estimate estimate,
    Map<String, Estimate> tenants,
    long sampledAccesses,
    long sampledEntries,
    boolean enough,
    double nanosPerAccess,
    long dropped) {

  static final int FEW_ACCESSES = 1_000;

  /**
   * Returns how many sampled accesses are enough. The shadow cache starts with the entries of the
   * live cache, so the two differ only after as many accesses as it has entries.
   */
  public long neededAccesses() {
    return Math.max(FEW_ACCESSES, sampledEntries);
  }

  public enum State {
    /** The cache is not warm yet; nothing is counted. */
    WARMING_UP,
    /** Hits are counted. */
    RUNNING,
    /** The policy broke its contract and is no longer called. */
    FAILED
  }
}
