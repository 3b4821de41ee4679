package dev.ebb.host.cluster.directory;

/** The state of a node of the cluster. */
public enum NodeState {
  /** It serves and takes replicas. */
  ACTIVE,
  /** It serves, takes no replicas, and hands its values over to other nodes. */
  DRAINING,
  /** As before, and it holds nothing more that only it has, or that another node has room for. */
  DRAINED
}
