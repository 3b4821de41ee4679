package dev.ebb.host.store;

/**
 * An operator's word that an entry stays.
 *
 * @param key the entry's key; not to be changed
 * @param owner who said so
 * @param since wall-clock milliseconds
 * @param expiresAt wall-clock milliseconds at which it ends, or {@link ObjectStore#NEVER}
 * @param bytes what the entry takes of the pool
 * @param partition the part of the pool that it lies in
 */
// The array is the key itself; a copy for each use would be waste.
@SuppressWarnings("ArrayRecordComponent")
public record Pin(
    byte[] key, String owner, long since, long expiresAt, long bytes, String partition) {}
