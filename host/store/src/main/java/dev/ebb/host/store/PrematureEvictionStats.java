package dev.ebb.host.store;

/**
 * Entries that were evicted for room and asked for again while they were remembered.
 *
 * @param count how many
 * @param bytes pool memory that they took
 * @param gapSeconds from eviction to question, of all of them together
 * @param window how many evicted entries each part of the pool remembers
 */
public record PrematureEvictionStats(long count, long bytes, double gapSeconds, int window) {

  PrematureEvictionStats plus(PrematureEvictionStats other) {
    return new PrematureEvictionStats(
        count + other.count, bytes + other.bytes, gapSeconds + other.gapSeconds, window);
  }
}
