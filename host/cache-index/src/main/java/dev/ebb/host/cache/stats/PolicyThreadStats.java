package dev.ebb.host.cache.stats;

/**
 * The statistics of a policy's own thread.
 *
 * @param queuedEvents events that the policy has not read
 * @param busyNanos nanoseconds spent in its code
 * @param victimNanos nanoseconds of one call of victim()
 * @param waits how often a request waited for room
 * @param abandoned threads abandoned since the start because their policy call did not return
 * @param abandonedAlive how many of them have not returned yet
 */
public record PolicyThreadStats(
    long queuedEvents,
    long events,
    long busyNanos,
    Histogram victimNanos,
    long waits,
    int waiting,
    long abandoned,
    int abandonedAlive) {}
