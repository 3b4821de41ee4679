package dev.ebb.host.store;

import java.util.EnumSet;
import java.util.Set;

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

  /** Returns the allowed next states; empty for the end of a life. */
  public Set<EntryState> next() {
    return switch (this) {
      case CREATING -> EnumSet.of(STORING, REMOVED);
      case STORING -> EnumSet.of(ACTIVE, REMOVED);
      case ACTIVE -> EnumSet.of(REUSED, MIGRATING, EVICTING, EXPIRED, REMOVED);
      case REUSED -> EnumSet.of(ACTIVE, EXPIRED, REMOVED);
      case MIGRATING -> EnumSet.of(ACTIVE, EVICTING);
      case EVICTING -> EnumSet.of(EVICTED);
      case EVICTED, EXPIRED, REMOVED -> EnumSet.noneOf(EntryState.class);
    };
  }

  /** Returns whether this is the end of a life. */
  public boolean over() {
    return this == EVICTED || this == EXPIRED || this == REMOVED;
  }
}
