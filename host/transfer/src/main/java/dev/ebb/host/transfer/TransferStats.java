package dev.ebb.host.transfer;

/**
 * The statistics of a server, which sends, or a client, which receives. Totals since its start.
 *
 * @param readBytes bytes of values for reads
 * @param backgroundBytes bytes of values for replication and migration
 * @param readValues values for reads; of a large value, a server counts each part
 * @param backgroundValues values for replication and migration
 * @param messages messages answered, or calls that succeeded
 * @param retries fetches that continued on another connection
 * @param damaged pieces and frames with a wrong checksum
 * @param failures fetches and calls that failed, or connections that a server closed for an error
 * @param notAccepted connections with another secret, protocol or version
 * @param connections open connections
 * @param bytesPerSecond bytes of values in the last full second
 */
public record TransferStats(
    long readBytes,
    long backgroundBytes,
    long readValues,
    long backgroundValues,
    long messages,
    long retries,
    long damaged,
    long failures,
    long notAccepted,
    int connections,
    long bytesPerSecond) {}
