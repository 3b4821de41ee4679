package dev.ebb.host.cluster.placement;

import static java.util.Collections.unmodifiableSet;

import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import java.util.EnumSet;
import java.util.Set;
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

  private static final Set<ValueState> LIVE =
      unmodifiableSet(EnumSet.of(REPLICATING, ACTIVE, MIGRATING, EVICTED));

  /**
   * Returns the state of a value.
   *
   * @param entry null if the directory has none
   * @param topology the live nodes
   */
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

  /** Returns the states that a value in this one can have after an event, this one included. */
  public Set<ValueState> after(ValueEvent event) {
    EnumSet<ValueState> next = EnumSet.of(this);
    switch (event) {
      case ANNOUNCED -> {
        next.addAll(LIVE);
        // A node with an outdated copy reports that the nodes with valid ones have left.
        next.add(DELETED);
      }
      case RELEASED -> next.addAll(released());
      case REMOVED -> next.add(DELETED);
      case NODES_CHANGED -> {
        if (this == EVICTED) {
          next.addAll(EnumSet.of(REPLICATING, MIGRATING, UNKNOWN));
        } else if (LIVE.contains(this)) {
          next.addAll(LIVE);
          next.add(UNKNOWN);
        }
      }
      case MERGED -> next.addAll(EnumSet.allOf(ValueState.class));
      case FORGOTTEN -> {
        if (this == DELETED) {
          next.add(UNKNOWN);
        }
      }
    }
    return next;
  }

  /** A copy that goes makes no state better, except that of a value which waited for that. */
  private Set<ValueState> released() {
    return switch (this) {
      case UNKNOWN, DELETED -> EnumSet.of(DELETED);
      case REPLICATING -> EnumSet.of(UNKNOWN, DELETED);
      case ACTIVE -> EnumSet.of(REPLICATING, EVICTED, UNKNOWN, DELETED);
      case MIGRATING -> EnumSet.of(REPLICATING, ACTIVE, EVICTED, UNKNOWN, DELETED);
      case EVICTED -> EnumSet.of(REPLICATING, UNKNOWN, DELETED);
    };
  }
}
