package dev.ebb.host.cluster.directory;

/** Called on a thread of the membership: implementations return quickly. */
public interface MembershipListener {

  /**
   * Nodes have joined or left, or directory entries have moved between them.
   *
   * @param entriesLost whether directory entries may be missing or old, so that each node has to
   *     announce its copies again: after a partition healed, or too many nodes were lost at once
   */
  void changed(boolean entriesLost);
}
