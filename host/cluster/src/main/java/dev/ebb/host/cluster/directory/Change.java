package dev.ebb.host.cluster.directory;

import java.util.Set;

/** A change of one directory entry, merged with the entry where that is kept. */
public sealed interface Change {

  /**
   * A node has a copy. If it is older than the entry it is not added, and the node becomes stale.
   *
   * @param gone ids of nodes that have left the cluster, whose copies are lost
   */
  record Held(
      Holder holder,
      long version,
      long bytes,
      int crc32c,
      long expiresAt,
      boolean immutable,
      Set<Integer> gone)
      implements Change {

    public Held {
      gone = Set.copyOf(gone);
      if (gone.contains(holder.node())) {
        throw new IllegalArgumentException(
            "the holder '%08x' is among the nodes that have left".formatted(holder.node()));
      }
    }
  }

  /**
   * A node has no copy any more.
   *
   * @param keepReplicas whether another copy becomes the primary one if this was it; otherwise the
   *     value is deleted with its primary copy, unless another main store has it
   * @param gone ids of nodes that have left the cluster, whose copies are lost
   */
  record Released(int node, boolean keepReplicas, Set<Integer> gone) implements Change {

    public Released {
      gone = Set.copyOf(gone);
    }
  }

  /** A client deleted the value; copies up to this version are invalid. */
  record Deleted(long version) implements Change {}

  /** An owner has this entry, and another one may have a different one. */
  record Merged(DirectoryEntry entry) implements Change {}
}
