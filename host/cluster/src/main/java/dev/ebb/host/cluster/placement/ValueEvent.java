package dev.ebb.host.cluster.placement;

/** What can change the {@link ValueState state} of a value. */
public enum ValueEvent {
  /** A node announced a copy: it was stored, replicated, moved or promoted. */
  ANNOUNCED,
  /** A node has no copy any more: it was evicted, has expired, is surplus, or was handed over. */
  RELEASED,
  /** A client deleted the value. */
  REMOVED,
  /** A node joined, left, drains, or is active again. */
  NODES_CHANGED,
  /** The directories of two parts of the cluster were merged. */
  MERGED,
  /** The directory forgot a deletion. */
  FORGOTTEN
}
