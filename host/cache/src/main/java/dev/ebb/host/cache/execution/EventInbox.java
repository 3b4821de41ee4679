package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.EventBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The batches that one policy thread has not read. Guarded by the cache's monitor, except that the
 * thread itself reads the batches it has taken.
 */
final class EventInbox {

  private final PolicyConsumer<?> reader;
  final ArrayDeque<EventBatch> waiting = new ArrayDeque<>();
  final List<EventBatch> taken = new ArrayList<>();
  private long unread;

  EventInbox(PolicyConsumer<?> reader) {
    this.reader = reader;
  }

  PolicyConsumer<?> reader() {
    return reader;
  }

  /** Returns the number of events not yet read, those of taken batches included. */
  long unread() {
    return unread;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  void add(EventBatch batch) {
    waiting.add(batch);
    unread += batch.size();
  }

  void read(EventBatch batch) {
    unread -= batch.size();
  }

  void takeAll() {
    taken.addAll(waiting);
    waiting.clear();
  }
}
