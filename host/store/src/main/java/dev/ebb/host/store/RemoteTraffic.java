package dev.ebb.host.store;

/**
 * The bytes that a node has exchanged with the others of its cluster.
 *
 * @param readBytes fetched for reads
 * @param replicatedBytes fetched as replicas
 * @param movedBytes evicted here and stored by another node
 */
public record RemoteTraffic(long readBytes, long replicatedBytes, long movedBytes) {

  public static final RemoteTraffic NONE = new RemoteTraffic(0, 0, 0);
}
