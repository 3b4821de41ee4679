package dev.ebb.host.cluster.simulation;

/**
 * The speed of a simulated cluster.
 *
 * @param detectionSeconds the time until the nodes see that another one is lost
 * @param directoryPerSecond directory reads and updates that one node executes as an owner
 * @param sendBytesPerSecond the bandwidth of a node's network card
 * @param receiveBytesPerSecond the most that replication receives on a node, {@code
 *     cluster.bandwidth}
 * @param uplinkBytesPerSecond the bandwidth between a rack and the others, in each direction
 */
public record SimulatedLimits(
    double detectionSeconds,
    double directoryPerSecond,
    double sendBytesPerSecond,
    double receiveBytesPerSecond,
    double uplinkBytesPerSecond) {}
