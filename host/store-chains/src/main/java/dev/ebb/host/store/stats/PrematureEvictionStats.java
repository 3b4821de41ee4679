package dev.ebb.host.store.stats;

import dev.ebb.host.cache.stats.GhostWindow;

/**
 * Entries that were evicted and requested again while they were remembered.
 *
 * @param gapSeconds from eviction to request, of all of them together
 * @param window how many evicted entries each part of the pool remembers
 */
public record PrematureEvictionStats(long count, long bytes, double gapSeconds, int window) {

  public static PrematureEvictionStats of(GhostWindow ghosts, long blockBytes) {
    return new PrematureEvictionStats(
        ghosts.askedAgain(),
        ghosts.askedAgainBlocks() * blockBytes,
        ghosts.gapNanos() / 1e9,
        ghosts.length());
  }

  public PrematureEvictionStats plus(PrematureEvictionStats other) {
    return new PrematureEvictionStats(
        count + other.count, bytes + other.bytes, gapSeconds + other.gapSeconds, window);
  }
}
