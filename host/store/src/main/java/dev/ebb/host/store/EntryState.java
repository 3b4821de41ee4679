package dev.ebb.host.store;

/** The life of an entry. Every transition is checked. */
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
  /** Evicted. */
  EVICTED,
  /** Expired. */
  EXPIRED,
  /** Never completed, replaced, or deleted by a client. */
  REMOVED;

  boolean mayBecome(EntryState next) {
    return switch (this) {
      case CREATING -> next == STORING || next == REMOVED;
      case STORING -> next == ACTIVE || next == REMOVED;
      case ACTIVE ->
          next == REUSED
              || next == MIGRATING
              || next == EVICTING
              || next == EXPIRED
              || next == REMOVED;
      case REUSED -> next == ACTIVE || next == EXPIRED || next == REMOVED;
      case MIGRATING -> next == ACTIVE || next == EVICTING;
      case EVICTING -> next == EVICTED;
      case EVICTED, EXPIRED, REMOVED -> false;
    };
  }
}
