package dev.ebb.host.cluster.directory;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * A node of the cluster, as it describes itself about once a second.
 *
 * @param id {@link #idOf} its name and the time at which its process started: entries that list an
 *     earlier process of this name list copies that are lost
 * @param host the address for the cluster
 * @param transferPort the port for values
 * @param resp where its clients connect, {@code host:port}
 * @param admin where its operators connect, {@code host:port}; empty without an admin server
 * @param capacityBytes the size of its main store
 * @param usedBytes the used part of it
 * @param replicaCapacityBytes the size of its memory for replicas
 * @param replicaUsedBytes the used part of it
 * @param commandsPerSecond its load
 * @param clock its hybrid logical clock
 * @param values how many values its stores have, without the read cache
 * @param settings those that must be equal on all nodes, as a text; empty if they are not known
 */
public record Node(
    String name,
    int id,
    String rack,
    String zone,
    String host,
    int transferPort,
    String resp,
    String admin,
    NodeState state,
    long capacityBytes,
    long usedBytes,
    long replicaCapacityBytes,
    long replicaUsedBytes,
    double commandsPerSecond,
    long clock,
    long values,
    String settings) {

  public static int idOf(String process) {
    CRC32C hash = new CRC32C();
    hash.update(process.getBytes(StandardCharsets.UTF_8));
    return (int) hash.getValue();
  }
}
