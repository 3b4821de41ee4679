package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskStats;

/**
 * The state and the counters of a disk tier since its start.
 *
 * @param path the file
 * @param inUse whether it is written and read; not after a failure, or while it is too slow
 * @param disk those of the file
 * @param hits values that were read from it, a chunk with its metadata as one
 * @param misses values that clients requested and neither memory nor the disk had
 * @param lateReads reads that took too long, which count as misses
 * @param rejectedValues evicted values that the admission rejected
 * @param shedValues evicted values that were dropped because the disk was too slow
 * @param heldBytes pool memory of evicted values that are not written yet
 */
public record DiskTierStats(
    String path,
    boolean inUse,
    DiskStats disk,
    long hits,
    long misses,
    long lateReads,
    long rejectedValues,
    long shedValues,
    long heldBytes) {}
