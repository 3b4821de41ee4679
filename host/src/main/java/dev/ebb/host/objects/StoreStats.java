package dev.ebb.host.objects;

/**
 * The store in numbers.
 *
 * @param keys keys with a value
 * @param expiring those of them that have a time to live
 * @param usedBytes pool memory charged to values, those being written or read to their end included
 * @param capacityBytes pool memory in all
 * @param policy the eviction policy in force
 * @param hits values that were asked for and there
 * @param misses values that were asked for and not there
 * @param stored values put
 * @param evicted entries evicted for room
 * @param expired keys whose time had come
 * @param notAdmitted values read to their end and not kept, for want of room
 */
public record StoreStats(
    int keys,
    int expiring,
    long usedBytes,
    long capacityBytes,
    String policy,
    long hits,
    long misses,
    long stored,
    long evicted,
    long expired,
    long notAdmitted) {}
