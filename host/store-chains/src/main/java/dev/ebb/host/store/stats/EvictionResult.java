package dev.ebb.host.store.stats;

/**
 * The result of a manual eviction.
 *
 * @param whyNotMore why less was evicted than requested; empty if it was not
 */
public record EvictionResult(
    long askedBytes, long freedBytes, long entries, long before, long after, String whyNotMore) {

  /** Returns the result of this eviction and of one from other memory, and why less was evicted. */
  public EvictionResult plus(EvictionResult other, String why) {
    return new EvictionResult(
        Math.max(askedBytes, other.askedBytes),
        freedBytes + other.freedBytes,
        entries + other.entries,
        before + other.before,
        after + other.after,
        why);
  }

  public static EvictionResult of(StoreStats before, StoreStats after, long asked, String why) {
    return new EvictionResult(
        asked,
        after.evictedBytes() - before.evictedBytes(),
        after.evicted() - before.evicted(),
        before.usedBytes(),
        after.usedBytes(),
        why);
  }
}
