package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.SlotTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Passes each batch to every policy thread, and takes it back when all have read it. Only then may
 * the slots of removed entries be used again. Used under the cache's monitor.
 */
final class EventFanout {

  private static final int MAX_SPARES = 64;

  /** Batches waiting for a reader beyond which small ones are copied into less memory. */
  private static final int MAX_WAITING = 16;

  private final SlotTable slots;
  private final List<EventInbox> inboxes = new ArrayList<>();
  private final ArrayDeque<EventBatch> spares = new ArrayDeque<>();

  /** A reader may be too far behind. */
  boolean behind;

  EventFanout(SlotTable slots) {
    this.slots = slots;
  }

  void add(EventInbox inbox) {
    inboxes.add(inbox);
  }

  boolean anyReader(Predicate<PolicyConsumer<?>> condition) {
    return inboxes.stream().anyMatch(inbox -> condition.test(inbox.reader()));
  }

  EventBatch exchange(EventBatch filled) {
    if (filled.size() <= EventBatch.CAPACITY / 2 && anyLags()) {
      // One reader takes few events at a time while another one reads none.
      share(filled.trimmed());
      filled.clear();
      return filled;
    }
    share(filled);
    EventBatch spare = spares.poll();
    return spare == null ? new EventBatch() : spare;
  }

  private boolean anyLags() {
    for (int i = 0; i < inboxes.size(); i++) {
      if (inboxes.get(i).waiting.size() > MAX_WAITING) {
        return true;
      }
    }
    return false;
  }

  private void share(EventBatch filled) {
    filled.readers = inboxes.size();
    for (int i = 0; i < inboxes.size(); i++) {
      inboxes.get(i).add(filled);
      behind |= inboxes.get(i).unread() > ThreadedPolicyExecutor.MAX_BEHIND;
    }
    if (inboxes.isEmpty()) {
      recycle(filled);
    }
  }

  /** Takes back the batches that a reader took and has read. */
  void takeBack(EventInbox inbox) {
    for (int i = 0; i < inbox.taken.size(); i++) {
      EventBatch batch = inbox.taken.get(i);
      inbox.read(batch);
      release(batch);
    }
    inbox.taken.clear();
  }

  /** Removes a reader. What it has taken is not filled again, because it may read that for long. */
  void remove(EventInbox inbox) {
    if (!inboxes.remove(inbox)) {
      return;
    }
    inbox.waiting.forEach(this::release);
    inbox.waiting.clear();
    for (EventBatch batch : inbox.taken) {
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
    if (!batch.spoilt && spares.size() < MAX_SPARES) {
      batch.clear();
      spares.push(batch);
    }
  }
}
