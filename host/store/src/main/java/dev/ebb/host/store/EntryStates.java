package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of entries in each state; for final states, how many ever reached them. Thread-safe.
 */
final class EntryStates {

  private final Map<EntryState, AtomicLong> counts = new EnumMap<>(EntryState.class);

  EntryStates() {
    for (EntryState state : EntryState.values()) {
      counts.put(state, new AtomicLong());
    }
  }

  EntryState begun() {
    count(EntryState.CREATING).getAndIncrement();
    return EntryState.CREATING;
  }

  EntryState changed(EntryState from, EntryState to) {
    if (!from.mayBecome(to)) {
      throw new IllegalStateException("an entry goes from '%s' to '%s'".formatted(from, to));
    }
    count(from).getAndDecrement();
    count(to).getAndIncrement();
    return to;
  }

  /** Counts an entry that becomes a part of another one, and has no life of its own. */
  void merged(EntryState from) {
    count(from).getAndDecrement();
  }

  Map<EntryState, Long> counts() {
    Map<EntryState, Long> now = new EnumMap<>(EntryState.class);
    counts.forEach((state, count) -> now.put(state, count.get()));
    return now;
  }

  private AtomicLong count(EntryState state) {
    return requireNonNull(counts.get(state));
  }
}
