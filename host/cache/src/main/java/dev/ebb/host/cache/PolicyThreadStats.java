package dev.ebb.host.cache;

/**
 * A policy's own thread in numbers.
 *
 * @param queuedEvents events that the policy has not read
 * @param events events it has read
 * @param busyNanos nanoseconds spent in its code
 * @param victimNanos nanoseconds of one answer to a request for a victim
 * @param waits how often somebody waited for room
 * @param abandoned threads abandoned since the start because their policy call did not return
 * @param abandonedAlive how many of them have not come back yet
 */
public record PolicyThreadStats(
    long queuedEvents,
    long events,
    long busyNanos,
    Histogram victimNanos,
    long waits,
    long abandoned,
    int abandonedAlive) {}
