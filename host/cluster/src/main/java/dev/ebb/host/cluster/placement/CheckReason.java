package dev.ebb.host.cluster.placement;

/** Why a node checks a value. */
public enum CheckReason {
  /**
   * The local copy changed: it was stored, evicted from the main store, expired, or deleted by a
   * client.
   */
  CHANGED,
  /** The local copy was evicted from the memory for replicas. */
  REPLICA_EVICTED,
  /** Another node asked for it, with {@code Notify} or {@code TellDrop}. */
  NOTIFIED,
  /**
   * Nodes joined, left, or changed their state; a copy offered to another node has arrived or
   * failed; or an earlier check could not be completed.
   */
  RECHECKED,
  /**
   * Directory entries may be missing or old, or there are several reasons: the other holders are
   * asked to check the value too.
   */
  FULL_CHECK;

  public CheckReason and(CheckReason other) {
    return this == other ? this : FULL_CHECK;
  }
}
