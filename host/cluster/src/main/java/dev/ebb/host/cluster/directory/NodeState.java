package dev.ebb.host.cluster.directory;

/** The state of a node of the cluster. */
public enum NodeState {
  /** It serves and takes replicas. */
  ACTIVE,
  /** It serves, takes no replicas, and hands its values over to other nodes. */
  DRAINING,
  /** It serves and holds nothing that only it has. */
  DRAINED
}
