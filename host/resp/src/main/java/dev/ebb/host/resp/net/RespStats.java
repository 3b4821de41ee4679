package dev.ebb.host.resp.net;

/**
 * The statistics of the RESP server.
 *
 * @param accepting whether new clients are accepted
 * @param connections open ones
 * @param connectionsEver opened since the start
 * @param rejected clients refused because of {@code ebb.server.max-clients}
 * @param evicted connections closed because of {@code ebb.server.client-memory}
 * @param stalled connections closed because of {@code ebb.server.stall-timeout}
 * @param idle connections closed because of {@code ebb.server.idle-timeout}
 * @param memoryBytes used of {@code ebb.server.client-memory}
 * @param failedLogins refused passwords
 * @param commands executed or refused since the start
 * @param remoteHits values that were missing here and that other nodes returned
 * @param remoteMisses values that no node had; one for each lookup that ended with such a key
 * @param remoteFailures commands that other nodes did not answer
 */
public record RespStats(
    boolean accepting,
    int connections,
    long connectionsEver,
    long rejected,
    long evicted,
    long stalled,
    long idle,
    long memoryBytes,
    long failedLogins,
    long commands,
    long remoteHits,
    long remoteMisses,
    long remoteFailures) {}
