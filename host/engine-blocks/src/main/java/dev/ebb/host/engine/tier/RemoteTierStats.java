package dev.ebb.host.engine.tier;

import org.jspecify.annotations.Nullable;

/**
 * The state and the counters of pages on a server since the start.
 *
 * @param outage why the server is not in use; null if it is
 * @param written pages stored on the server, without those that it already had
 * @param shed pages not stored because the server was too slow
 * @param missed pages of prompts that were requested and not read
 * @param skipped pages of prompts that were not requested because computing them is faster
 */
public record RemoteTierStats(
    String server,
    @Nullable String outage,
    long written,
    long writtenBytes,
    long shed,
    long read,
    long readBytes,
    long missed,
    long skipped,
    long failed) {}
