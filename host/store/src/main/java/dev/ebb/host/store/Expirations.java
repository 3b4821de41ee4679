package dev.ebb.host.store;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * When to look at which value. A value has one note that counts, the one that says what its {@code
 * dueAt} says; a later due time is found out when that note comes up.
 */
final class Expirations {

  private static final int LEAST = 1024;

  private record Note(StoredValue value, long at) {
    boolean current() {
      return value.there() && value.dueAt == at;
    }
  }

  private PriorityQueue<Note> notes = queue();

  private static PriorityQueue<Note> queue() {
    return new PriorityQueue<>(Comparator.comparingLong(Note::at));
  }

  void note(StoredValue value, long at, int values) {
    if (at >= value.dueAt) {
      return;
    }
    value.dueAt = at;
    notes.add(new Note(value, at));
    if (notes.size() > 2 * values + LEAST) {
      PriorityQueue<Note> current = queue();
      notes.stream().filter(Note::current).forEach(current::add);
      notes = current;
    }
  }

  /** The next value whose time to be looked at has come, or null. */
  @Nullable StoredValue due(long now) {
    while (true) {
      Note note = notes.peek();
      if (note == null || note.at > now) {
        return null;
      }
      notes.remove();
      if (note.current()) {
        note.value.dueAt = StoredValue.NEVER;
        return note.value;
      }
    }
  }
}
