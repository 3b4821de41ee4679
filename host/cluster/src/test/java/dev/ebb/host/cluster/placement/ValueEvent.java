package dev.ebb.host.cluster.placement;

import static dev.ebb.host.cluster.placement.ValueState.ACTIVE;
import static dev.ebb.host.cluster.placement.ValueState.DELETED;
import static dev.ebb.host.cluster.placement.ValueState.EVICTED;
import static dev.ebb.host.cluster.placement.ValueState.MIGRATING;
import static dev.ebb.host.cluster.placement.ValueState.REPLICATING;
import static dev.ebb.host.cluster.placement.ValueState.UNKNOWN;

import java.util.EnumSet;
import java.util.Set;

/** What can change the {@link ValueState state} of a value. */
enum ValueEvent {
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
  FORGOTTEN;

  private static final Set<ValueState> LIVE = Set.of(REPLICATING, ACTIVE, MIGRATING, EVICTED);

  /** Returns the states that a value in a state can have after this event, that one included. */
  Set<ValueState> after(ValueState state) {
    EnumSet<ValueState> next = EnumSet.of(state);
    switch (this) {
      case ANNOUNCED -> {
        next.addAll(LIVE);
        // A node with an outdated copy reports that the nodes with valid ones have left.
        next.add(DELETED);
      }
      case RELEASED -> next.addAll(released(state));
      case REMOVED -> next.add(DELETED);
      case NODES_CHANGED -> {
        if (state == EVICTED) {
          next.addAll(EnumSet.of(REPLICATING, MIGRATING, UNKNOWN));
        } else if (LIVE.contains(state)) {
          next.addAll(LIVE);
          next.add(UNKNOWN);
        }
      }
      case MERGED -> next.addAll(EnumSet.allOf(ValueState.class));
      case FORGOTTEN -> {
        if (state == DELETED) {
          next.add(UNKNOWN);
        }
      }
    }
    return next;
  }

  /** A copy that goes makes no state better, except that of a value which waited for that. */
  private static Set<ValueState> released(ValueState state) {
    return switch (state) {
      case UNKNOWN, DELETED -> EnumSet.of(DELETED);
      case REPLICATING -> EnumSet.of(UNKNOWN, DELETED);
      case ACTIVE -> EnumSet.of(REPLICATING, EVICTED, UNKNOWN, DELETED);
      case MIGRATING -> EnumSet.of(REPLICATING, ACTIVE, EVICTED, UNKNOWN, DELETED);
      case EVICTED -> EnumSet.of(REPLICATING, UNKNOWN, DELETED);
    };
  }
}
