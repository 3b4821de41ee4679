package dev.ebb.host.cluster.placement;

/** How far apart two nodes are, the nearest first. */
public enum Distance {
  SAME_NODE,
  SAME_RACK,
  SAME_ZONE,
  OTHER_ZONE
}
