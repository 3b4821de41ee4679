package dev.ebb.host.cluster.directory;

import java.util.Set;

/** A change of one directory entry, merged with the entry where that is kept. */
public sealed interface Change {

  /**
   * A node has a copy.
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
    }
  }

  /**
   * A node has no copy any more.
   *
   * @param keepReplicas whether another copy becomes the primary one if this was it; otherwise the
   *     entry is removed with its primary copy
   * @param gone ids of nodes that have left the cluster, whose copies are lost
   */
  record Released(int node, boolean keepReplicas, Set<Integer> gone) implements Change {

    public Released {
      gone = Set.copyOf(gone);
    }
  }

  /** A client deleted the value; copies up to this version are invalid. */
  record Deleted(long version) implements Change {}
}
