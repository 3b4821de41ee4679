package dev.ebb.host.cluster.placement;

/** Network distance between two nodes, in increasing order. */
public enum Distance {
  SAME_NODE,
  SAME_RACK,
  SAME_ZONE,
  OTHER_ZONE
}
