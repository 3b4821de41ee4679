/**
 * A log of values on a disk: bounded, checksummed, and recovered after a crash.
 *
 * <p>{@link dev.ebb.host.disk.DiskLogs} is the entry point, over one {@link
 * dev.ebb.host.disk.DiskLog} for each file. A file has fixed regions, which are written one after
 * the other and reused in the same order. Knows nothing of the store in memory.
 */
package dev.ebb.host.disk;
