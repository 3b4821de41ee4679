package dev.ebb.host.tier;

import dev.ebb.host.store.ObjectStore;

/**
 * A value on the disk.
 *
 * @param bytes its size, or that of the metadata whose key was asked for
 * @param expiresAt wall-clock milliseconds, or {@link ObjectStore#NEVER}
 * @param writtenAt when it was written: wall-clock milliseconds
 */
public record DiskEntry(long bytes, long expiresAt, long writtenAt) {}
