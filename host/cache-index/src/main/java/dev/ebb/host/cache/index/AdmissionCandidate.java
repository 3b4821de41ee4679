package dev.ebb.host.cache.index;

import org.jspecify.annotations.Nullable;

/**
 * The blocks of a request that need space, and which the policy may decide not to admit: those that
 * wait for it, or one that was cached before the decision.
 */
public final class AdmissionCandidate {

  public final CacheRequest request;
  private final int first;
  private final boolean prefix;

  /** The entry of a block that is cached already; null for blocks that wait. */
  private final @Nullable CacheEntry entry;

  /** Whether the policy has decided against one of the blocks, and so against those after it. */
  public boolean rejected;

  private AdmissionCandidate(
      CacheRequest request, int first, boolean prefix, @Nullable CacheEntry entry) {
    this.request = request;
    this.first = first;
    this.prefix = prefix;
    this.entry = entry;
  }

  /** Returns the blocks of a prompt, from the first one for which there is no space. */
  public static AdmissionCandidate prefix(CacheRequest request, int first) {
    return new AdmissionCandidate(request, first, true, null);
  }

  public static AdmissionCandidate object(RequestFacts facts, long keyLow, long keyHigh) {
    return new AdmissionCandidate(object(facts, keyLow, keyHigh, 1), 0, false, null);
  }

  /** Returns a block of a request, or an object, that is cached already. */
  static AdmissionCandidate cached(CacheRequest request, int index, CacheEntry entry) {
    return new AdmissionCandidate(request, index, false, entry);
  }

  /** Returns the request whose only block is an object. */
  public static CacheRequest object(RequestFacts facts, long keyLow, long keyHigh, int weight) {
    return CacheRequest.report(facts, new long[] {keyLow, keyHigh}, new int[] {weight}, 0);
  }

  /** Returns a copy whose request no longer changes, for a policy on a thread of its own. */
  public AdmissionCandidate frozen() {
    return prefix ? new AdmissionCandidate(request.frozen(), first, true, null) : this;
  }

  /**
   * Returns whether the policy can be asked about it in place of an offer. Read without the cache's
   * monitor, under which the offer is checked later.
   */
  public boolean competesWith(CacheEntry offered) {
    return offered.evictable() && offered != entry;
  }

  /** Returns the first block without space after so many evicted ones. */
  public int index(long freed) {
    return prefix ? (int) Math.min(first + freed / request.unit(), request.blocks() - 1L) : first;
  }
}
