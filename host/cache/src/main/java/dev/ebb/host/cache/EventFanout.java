package dev.ebb.host.cache;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Hands each batch to every policy's thread, and takes it back when all have read it: only then may
 * the slots of those who left be used again. Used under the owner's lock.
 */
final class EventFanout {

  private static final int MOST_SPARES = 64;

  /** Batches waiting for a reader beyond which small ones are made smaller. */
  private static final int MOST_WAITING = 16;

  private final SlotTable slots;
  private final List<PolicyThread> readers = new ArrayList<>();
  private final ArrayDeque<EventBatch> spares = new ArrayDeque<>();

  EventFanout(SlotTable slots) {
    this.slots = slots;
  }

  void add(PolicyThread reader) {
    readers.add(reader);
  }

  boolean anyHearsRequests() {
    return readers.stream().anyMatch(reader -> reader.consumer().hearsRequests());
  }

  /** Takes a filled batch, and returns an empty one. */
  EventBatch exchange(EventBatch filled) {
    if (filled.size() <= EventBatch.CAPACITY / 2 && anyLags()) {
      // One reader takes few at a time, while another one lets them lie.
      share(filled.trimmed());
      filled.clear();
      return filled;
    }
    share(filled);
    EventBatch spare = spares.poll();
    return spare == null ? new EventBatch() : spare;
  }

  private boolean anyLags() {
    for (int i = 0; i < readers.size(); i++) {
      if (readers.get(i).inbox.size() > MOST_WAITING) {
        return true;
      }
    }
    return false;
  }

  private void share(EventBatch filled) {
    filled.readers = readers.size();
    for (int i = 0; i < readers.size(); i++) {
      readers.get(i).inbox.add(filled);
      readers.get(i).queued += filled.size();
    }
    if (readers.isEmpty()) {
      recycle(filled);
    }
  }

  /** A reader has read what it took. */
  void readBy(PolicyThread reader) {
    for (int i = 0; i < reader.taken.size(); i++) {
      EventBatch batch = reader.taken.get(i);
      reader.queued -= batch.size();
      release(batch);
    }
    reader.taken.clear();
  }

  /** A reader takes all there is for it. */
  void take(PolicyThread reader) {
    reader.taken.addAll(reader.inbox);
    reader.inbox.clear();
  }

  /**
   * Leaves a reader out from now on. What it has taken it may read as long as it likes, so that is
   * not filled again.
   */
  void remove(PolicyThread reader) {
    if (!readers.remove(reader)) {
      return;
    }
    reader.inbox.forEach(this::release);
    reader.inbox.clear();
    for (EventBatch batch : reader.taken) {
      batch.spoilt = true;
      release(batch);
    }
  }

  private void release(EventBatch batch) {
    if (--batch.readers == 0) {
      recycle(batch);
    }
  }

  private void recycle(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) == EventBatch.Kind.REMOVED) {
        slots.giveBack(batch.entry(i));
      }
    }
    if (!batch.spoilt && spares.size() < MOST_SPARES) {
      batch.clear();
      spares.push(batch);
    }
  }
}
