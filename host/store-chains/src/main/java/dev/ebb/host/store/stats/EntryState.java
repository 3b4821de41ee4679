package dev.ebb.host.store.stats;

/** The life of an entry; {@link EntryStates} checks every transition. */
public enum EntryState {
  /** A client has announced it; nothing is stored. */
  CREATING,
  /** Its bytes are arriving; it is not visible. */
  STORING,
  /** Visible, and not in use. */
  ACTIVE,
  /** Visible, and being read. */
  REUSED,
  /** Its bytes are being moved. */
  MIGRATING,
  /** Chosen for eviction; its memory is being freed. */
  EVICTING,
  EVICTED,
  EXPIRED,
  /** Never completed, replaced, or deleted by a client. */
  REMOVED
}
