package dev.ebb.host.store;

import java.util.Comparator;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The queue of times at which values have to be checked. A value has one valid note; a later end is
 * found when that note comes up. An invalid note holds no value: keys can be long.
 */
final class Expirations {

  private static final int LEAST = 1024;

  /** The time at which a value is checked. */
  static final class Note {
    private final long at;
    private @Nullable StoredValue value;

    private Note(StoredValue value, long at) {
      this.value = value;
      this.at = at;
    }
  }

  private PriorityQueue<Note> notes = queue();
  private int valid;

  private static PriorityQueue<Note> queue() {
    return new PriorityQueue<>(Comparator.comparingLong(note -> note.at));
  }

  void note(StoredValue value, long at) {
    Note before = value.note;
    if (at >= (before == null ? StoredValue.NEVER : before.at)) {
      return;
    }
    forget(value);
    Note note = new Note(value, at);
    value.note = note;
    notes.add(note);
    valid++;
    if (notes.size() > 2 * valid + LEAST) {
      PriorityQueue<Note> current = queue();
      notes.stream().filter(each -> each.value != null).forEach(current::add);
      notes = current;
    }
  }

  void forget(StoredValue value) {
    if (value.note != null) {
      value.note.value = null;
      value.note = null;
      valid--;
    }
  }

  /** Returns the next value to check now, or null. */
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
