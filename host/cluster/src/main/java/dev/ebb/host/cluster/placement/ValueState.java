package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import org.jspecify.annotations.Nullable;

/** The state of a value over all nodes: what its directory entry and the live nodes say. */
public enum ValueState {
  /** No live node has announced a copy. */
  UNKNOWN,
  /** Fewer copies are on active nodes than there should be. */
  REPLICATING,
  /** It has all its copies, or one on every active node. */
  ACTIVE,
  /** A copy has to leave its node: the node drains, or another node has become the primary one. */
  MIGRATING,
  /** No main store has it any more, and replicas are left. */
  EVICTED,
  /** No copy is valid; some nodes may still have to remove theirs. */
  DELETED;

  public static ValueState of(
      @Nullable DirectoryEntry entry, Topology topology, CopySettings settings) {
    if (entry == null) {
      return UNKNOWN;
    }
    if (entry.deleted()) {
      return DELETED;
    }
    int live = 0;
    int active = 0;
    int main = 0;
    for (Holder holder : entry.holders()) {
      if (topology.live(holder.node())) {
        live++;
        active += topology.active(holder.node()) ? 1 : 0;
        main += holder.replica() ? 0 : 1;
      }
    }
    if (live == 0) {
      return UNKNOWN;
    }
    // Nodes that store the same content at the same time both keep it.
    if (active < live || (main > 1 && !entry.immutable())) {
      return MIGRATING;
    }
    if (active < Math.min(settings.copies(), topology.activeNodes())) {
      return REPLICATING;
    }
    return main == 0 ? EVICTED : ACTIVE;
  }
}
