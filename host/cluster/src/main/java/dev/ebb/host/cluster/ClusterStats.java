package dev.ebb.host.cluster;

/**
 * The statistics of one node of a cluster.
 *
 * @param pendingReplications copies that other nodes have not confirmed
 * @param replicationLagMillis the age of the oldest value without a replica for which a node has
 *     room; 0 without any
 * @param underReplicated this node's primary values with fewer copies than configured
 * @param rackUnsafe this node's primary values whose copies are all on one rack
 * @param announcements values that this node has not compared with the directory
 * @param replicatedValues values that this node has received as replicas
 * @param replicatedBytes their bytes
 * @param failedReplications copies that could not be made, before another attempt
 * @param promotions values whose primary copy this node got because their node was lost
 * @param movedValues values that this node evicted and another one stored
 * @param movedBytes their bytes
 * @param notMovedValues values that this node evicted and no other one could store
 * @param remoteHits reads that another node, a replica or the read cache answered
 * @param remoteMisses reads that no node could answer
 * @param fetches values fetched from other nodes for reads
 * @param sharedFetches reads that waited for the fetch of another one
 * @param failedFetches fetches from one node that failed, before the next one was asked
 * @param fetchedBytes the bytes of fetched values
 * @param fetchMicrosMean the mean time of a fetch
 * @param readCacheUsedBytes the used part of the read cache
 * @param readCacheCapacityBytes its size
 * @param states values by their state, of the directory entries that this node owns
 * @param removedEntries entries that this node removed, because all nodes with a copy have left
 */
public record ClusterStats(
    long pendingReplications,
    long replicationLagMillis,
    long underReplicated,
    long rackUnsafe,
    long announcements,
    long replicatedValues,
    long replicatedBytes,
    long failedReplications,
    long promotions,
    long movedValues,
    long movedBytes,
    long notMovedValues,
    long remoteHits,
    long remoteMisses,
    long fetches,
    long sharedFetches,
    long failedFetches,
    long fetchedBytes,
    double fetchMicrosMean,
    long readCacheUsedBytes,
    long readCacheCapacityBytes,
    ValueCounts states,
    long removedEntries) {}
