package dev.ebb.host.store;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * When to look at which value. A value has one note that counts; a later due time is found out when
 * that note comes up. A note that counts no more holds no value: keys can be long.
 */
final class Expirations {

  private static final int LEAST = 1024;

  /** When to look at a value. */
  static final class Note {
    private final long at;
    private @Nullable StoredValue value;

    private Note(StoredValue value, long at) {
      this.value = value;
      this.at = at;
    }
  }

  private PriorityQueue<Note> notes = queue();

  private static PriorityQueue<Note> queue() {
    return new PriorityQueue<>(Comparator.comparingLong(note -> note.at));
  }

  void note(StoredValue value, long at, int values) {
    Note before = value.note;
    if (at >= (before == null ? StoredValue.NEVER : before.at)) {
      return;
    }
    forget(value);
    Note note = new Note(value, at);
    value.note = note;
    notes.add(note);
    if (notes.size() > 2 * values + LEAST) {
      PriorityQueue<Note> current = queue();
      notes.stream().filter(each -> each.value != null).forEach(current::add);
      notes = current;
    }
  }

  /** Drops the note of a value. */
  void forget(StoredValue value) {
    if (value.note != null) {
      value.note.value = null;
      value.note = null;
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
      StoredValue value = note.value;
      if (value != null) {
        forget(value);
        return value;
      }
    }
  }
}
