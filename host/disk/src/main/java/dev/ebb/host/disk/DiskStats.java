package dev.ebb.host.disk;

/**
 * The state and the counters of a log since its start.
 *
 * @param usable whether the disk is in use; false after a failure
 * @param direct whether the page cache is bypassed
 * @param capacityBytes the bytes of all regions
 * @param values how many values it has
 * @param valueBytes the bytes of their records
 * @param indexBytes the memory of the index
 * @param writtenValues values that were added
 * @param writtenValueBytes the bytes of their records
 * @param writtenBytes bytes written to the disk, of all kinds
 * @param shedValues values that were not added because the disk was too slow or out of use
 * @param reusedRegions regions whose older values were dropped or kept for new ones
 * @param keptValues values that were written again, because they had been read, when their region
 *     was reused
 * @param droppedValues values that were dropped when their region was reused
 * @param readValues values that were read
 * @param readBytes the bytes of their records
 * @param lateReads reads that took too long, which are misses
 * @param damagedRecords records whose checksum was wrong
 * @param errors failed reads and writes
 */
public record DiskStats(
    boolean usable,
    boolean direct,
    long capacityBytes,
    long values,
    long valueBytes,
    long indexBytes,
    long writtenValues,
    long writtenValueBytes,
    long writtenBytes,
    long shedValues,
    long reusedRegions,
    long keptValues,
    long droppedValues,
    long readValues,
    long readBytes,
    long lateReads,
    long damagedRecords,
    long errors) {}
