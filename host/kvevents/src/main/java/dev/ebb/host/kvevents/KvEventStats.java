package dev.ebb.host.kvevents;

import dev.ebb.host.kvevents.source.SourceStats;

/**
 * Counts of published events since the start.
 *
 * @param events events in published batches
 * @param batches published batches
 * @param dropped events that were dropped because the queue was full
 * @param replays answered requests for missed batches
 * @param queued events that wait to be published
 * @param withoutTokens events of stored values whose tokens were not known
 * @param blocks blocks whose tokens are known
 * @param tokenBytes the memory in use for these
 * @param sources what engines have published
 */
public record KvEventStats(
    long events,
    long batches,
    long dropped,
    long replays,
    long queued,
    long withoutTokens,
    long blocks,
    long tokenBytes,
    SourceStats sources) {}
