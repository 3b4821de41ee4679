package dev.ebb.host.store;

import java.util.EnumSet;
import java.util.Set;

/** The life of an entry. Every change is checked against what may follow. */
public enum EntryState {
  /** A client has announced it; nothing is stored. */
  CREATING,
  /** Its bytes are arriving; nobody sees it. */
  STORING,
  /** Visible, and used by nobody now. */
  ACTIVE,
  /** Visible, and being read. */
  REUSED,
  /** Its bytes are on their way to another place. */
  MIGRATING,
  /** Chosen to leave for room; its memory is being taken. */
  EVICTING,
  /** Left for room. */
  EVICTED,
  /** Left because its time was over. */
  EXPIRED,
  /** Never completed, replaced, or deleted by a client. */
  REMOVED;

  /**
   * What may come next.
   *
   * @return the states that may follow; empty for the end of a life
   */
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

  /**
   * Whether this is the end.
   *
   * @return true if nothing may follow
   */
  public boolean over() {
    return this == EVICTED || this == EXPIRED || this == REMOVED;
  }
}
