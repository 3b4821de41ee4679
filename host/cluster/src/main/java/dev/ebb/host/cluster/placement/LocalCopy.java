package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Holder;
import java.util.Set;

/**
 * The copy of a value on the node that decides.
 *
 * @param expiresAt wall-clock milliseconds, or {@code Long.MAX_VALUE} if it does not expire
 * @param immutable its key names its content
 * @param replica whether it is in the node's memory for replicas, not in its main store
 * @param isNew whether a client of this node has stored it just now: its replicas may evict others.
 *     If one has been evicted since, it is not new: they would come back in place of others
 */
public record LocalCopy(
    long version,
    long bytes,
    int crc32c,
    long expiresAt,
    boolean immutable,
    boolean replica,
    boolean isNew) {

  public Held held(int node, Set<Integer> gone) {
    return new Held(new Holder(node, replica), version, bytes, crc32c, expiresAt, immutable, gone);
  }
}
