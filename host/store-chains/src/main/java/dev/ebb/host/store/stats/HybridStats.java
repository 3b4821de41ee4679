package dev.ebb.host.store.stats;

/**
 * Objects of hybrid models, as far as that concerns the prefixes that all groups can serve.
 *
 * @param lostHits chunks that were found with all before them, and that the objects of other groups
 *     could not serve
 * @param uselessBytes pool memory of objects that no prompt can use, as it was measured last
 * @param thinned objects that were evicted while their chunk stayed
 * @param useless chunks that were evicted because no prompt could go on after them
 */
public record HybridStats(
    long lostHits,
    long uselessBytes,
    long thinned,
    long thinnedBytes,
    long useless,
    long evictedUselessBytes) {

  public HybridStats plus(HybridStats other) {
    return new HybridStats(
        lostHits + other.lostHits,
        uselessBytes + other.uselessBytes,
        thinned + other.thinned,
        thinnedBytes + other.thinnedBytes,
        useless + other.useless,
        evictedUselessBytes + other.evictedUselessBytes);
  }
}
