package dev.ebb.host.cache;

/**
 * A policy's own thread in numbers.
 *
 * @param queuedEvents events that the policy has not been told of
 * @param events events it was told of
 * @param busyNanos nanoseconds spent in its code
 * @param victimNanos nanoseconds of one answer to who should leave next
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
