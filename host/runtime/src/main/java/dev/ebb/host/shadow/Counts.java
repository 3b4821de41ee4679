package dev.ebb.host.shadow;

import static dev.ebb.host.shadow.Sampling.GROUPS;

import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The hits of a shadow policy on the sample since counting began, next to the live cache's hits on
 * the same accesses. One thread writes; other threads may read a copy.
 */
final class Counts {

  /** Each has 200 bytes for each simulation. */
  static final int MOST_TENANTS = 64;

  /** All accesses of the period, sampled or not. */
  long accesses;

  long hits;
  long hitBytes;

  /** The accesses by requests, whose hits count only behind others. */
  long prefixAccesses;

  long prefixHits;

  /** The same on the sample, of the live cache and of the shadow policy. */
  long livePrefixHits;

  long ownPrefixHits;

  long sampled;

  /** Whole prompts were sampled: their share of all accesses may differ from the rate. */
  boolean prompts;

  /** Hits of the live cache on the sample. */
  long liveHits;

  long ownHits;
  long liveHitBytes;
  long ownHitBytes;

  /** The same for each group, which has its own simulated cache. */
  final long[] groupLiveHits = new long[GROUPS];

  final long[] groupOwnHits = new long[GROUPS];

  /** The same on the sampled accesses of each of the first tenants. */
  private final Map<String, Counts> tenants = new HashMap<>();

  private @Nullable Counts uncounted;

  /**
   * Returns where accesses of a tenant are counted; for one that is not counted, where nothing
   * reads it.
   */
  Counts ofTenant(@Nullable String name) {
    Counts known = name == null ? null : tenants.get(name);
    if (known == null && name != null && tenants.size() < MOST_TENANTS) {
      known = new Counts();
      tenants.put(name, known);
    }
    if (known == null) {
      known = uncounted == null ? new Counts() : uncounted;
      uncounted = known;
    }
    return known;
  }

  /** Returns the tenants with enough accesses, those with most first. */
  Map<String, Estimate> tenants(double rate) {
    Map<String, Estimate> estimates = new LinkedHashMap<>();
    tenants.entrySet().stream()
        .filter(each -> each.getValue().sampled >= ShadowReport.FEW_ACCESSES)
        .sorted(Comparator.comparingLong(each -> -each.getValue().sampled))
        .forEach(each -> estimates.put(each.getKey(), Estimate.of(each.getValue(), rate)));
    return estimates;
  }

  Counts copy() {
    Counts copy = new Counts();
    copy.accesses = accesses;
    copy.hits = hits;
    copy.hitBytes = hitBytes;
    copy.prefixAccesses = prefixAccesses;
    copy.prefixHits = prefixHits;
    copy.livePrefixHits = livePrefixHits;
    copy.ownPrefixHits = ownPrefixHits;
    copy.sampled = sampled;
    copy.prompts = prompts;
    copy.liveHits = liveHits;
    copy.ownHits = ownHits;
    copy.liveHitBytes = liveHitBytes;
    copy.ownHitBytes = ownHitBytes;
    System.arraycopy(groupLiveHits, 0, copy.groupLiveHits, 0, GROUPS);
    System.arraycopy(groupOwnHits, 0, copy.groupOwnHits, 0, GROUPS);
    tenants.forEach((name, counts) -> copy.tenants.put(name, counts.copy()));
    return copy;
  }
}
