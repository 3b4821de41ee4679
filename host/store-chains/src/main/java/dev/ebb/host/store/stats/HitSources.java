package dev.ebb.host.store.stats;

/**
 * The hits that memory did not have. All others are those of memory.
 *
 * @param disk values that were read from the disk
 * @param diskBytes their bytes, as far as clients requested them
 * @param nodes values that other nodes of a cluster had
 * @param nodeBytes their bytes, as far as clients requested them
 */
public record HitSources(long disk, long diskBytes, long nodes, long nodeBytes) {

  public HitSources plus(HitSources other) {
    return new HitSources(
        disk + other.disk,
        diskBytes + other.diskBytes,
        nodes + other.nodes,
        nodeBytes + other.nodeBytes);
  }
}
