package dev.ebb.host.store;

/**
 * What came of an operator's wish to free room.
 *
 * @param askedBytes bytes wanted; 0 if entries were counted
 * @param freedBytes bytes freed
 * @param entries entries evicted
 * @param before bytes used before
 * @param after bytes used after
 * @param whyNotMore what kept the rest; empty if nothing is missing
 */
public record EvictionResult(
    long askedBytes, long freedBytes, long entries, long before, long after, String whyNotMore) {}
