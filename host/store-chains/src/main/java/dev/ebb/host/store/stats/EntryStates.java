package dev.ebb.host.store.stats;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of entries in each state; for final states, how many ever reached them. Thread-safe.
 */
public final class EntryStates {

  private final Map<EntryState, AtomicLong> counts = new EnumMap<>(EntryState.class);

  public EntryStates() {
    for (EntryState state : EntryState.values()) {
      counts.put(state, new AtomicLong());
    }
  }

  public EntryState begun() {
    count(EntryState.CREATING).getAndIncrement();
    return EntryState.CREATING;
  }

  public EntryState changed(EntryState from, EntryState to) {
    if (!mayBecome(from, to)) {
      throw new IllegalStateException("an entry goes from '%s' to '%s'".formatted(from, to));
    }
    count(from).getAndDecrement();
    count(to).getAndIncrement();
    return to;
  }

  private static boolean mayBecome(EntryState from, EntryState next) {
    return switch (from) {
      case CREATING -> next == EntryState.STORING || next == EntryState.REMOVED;
      case STORING -> next == EntryState.ACTIVE || next == EntryState.REMOVED;
      case ACTIVE ->
          next == EntryState.REUSED
              || next == EntryState.MIGRATING
              || next == EntryState.EVICTING
              || next == EntryState.EXPIRED
              || next == EntryState.REMOVED;
      case REUSED ->
          next == EntryState.ACTIVE || next == EntryState.EXPIRED || next == EntryState.REMOVED;
      case MIGRATING -> next == EntryState.ACTIVE || next == EntryState.EVICTING;
      case EVICTING -> next == EntryState.EVICTED;
      case EVICTED, EXPIRED, REMOVED -> false;
    };
  }

  /** Counts an entry that becomes a part of another one, and has no life of its own. */
  public void merged(EntryState from) {
    count(from).getAndDecrement();
  }

  public Map<EntryState, Long> counts() {
    Map<EntryState, Long> now = new EnumMap<>(EntryState.class);
    counts.forEach((state, count) -> now.put(state, count.get()));
    return now;
  }

  private AtomicLong count(EntryState state) {
    return requireNonNull(counts.get(state));
  }
}
