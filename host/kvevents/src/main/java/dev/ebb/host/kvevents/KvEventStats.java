package dev.ebb.host.kvevents;

/**
 * Counts of published events since the start.
 *
 * @param events events in published batches
 * @param batches published batches
 * @param dropped events that were dropped because the queue was full
 * @param replays answered requests for missed batches
 * @param queued events that wait to be published
 */
public record KvEventStats(long events, long batches, long dropped, long replays, long queued) {}
