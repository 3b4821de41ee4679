package dev.ebb.host.cache.index;

import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Collects the cache's events in batches, and hands them to the watchers, then to the policy. */
public final class EventStream {

  private final List<EventConsumer> watchers = new ArrayList<>();
  private EventBatch batch = new EventBatch();

  /** Takes a filled batch for the policy, and returns an empty one. */
  private @Nullable UnaryOperator<EventBatch> sink;

  private boolean watcherWantsRequests;
  private boolean policyWantsRequests;
  private boolean requestsWanted;
  private boolean missesWanted;

  /** Wakes a policy on its own thread; null if the policy runs on the caller's thread. */
  private @Nullable Runnable wakeUp;

  EventStream() {}

  /** Connects a policy that runs on the caller's thread. */
  public void connect(UnaryOperator<EventBatch> policySink) {
    sink = policySink;
  }

  /**
   * Connects a policy that reads events later, on its own thread. The objects in a batch must last
   * until then. The wake-up runs before the first event of a batch is written.
   */
  public void connectLate(UnaryOperator<EventBatch> policySink, Runnable policyWakeUp) {
    sink = policySink;
    wakeUp = policyWakeUp;
  }

  public void watch(EventConsumer watcher) {
    flush();
    watchers.add(watcher);
    watcherWantsRequests |= watcher.hearsRequests();
    requestsWanted = watcherWantsRequests || policyWantsRequests;
  }

  public void policyWantsRequests(boolean wants) {
    policyWantsRequests = wants;
    requestsWanted = watcherWantsRequests || policyWantsRequests;
  }

  public boolean requestsWanted() {
    return requestsWanted;
  }

  public void missesWanted(boolean wanted) {
    missesWanted = wanted;
  }

  public boolean isEmpty() {
    return batch.size() == 0;
  }

  public int size() {
    return batch.size();
  }

  public void emit(EventBatch.Kind kind, CacheEntry entry) {
    ensureSpace();
    batch.add(kind, entry);
  }

  /** Reports a miss outside of a request, if a policy wants it. */
  public void emitMissed(long keyLow) {
    if (missesWanted) {
      ensureSpace();
      batch.addMissed(keyLow);
    }
  }

  void emitRemoved(CacheEntry entry, RemovalCause cause, long record) {
    ensureSpace();
    batch.addRemoved(entry, cause, record);
  }

  public void emit(EventBatch.Kind kind, CacheRequest request) {
    ensureSpace();
    batch.add(kind, wakeUp != null ? request.frozen() : request);
  }

  private void ensureSpace() {
    if (wakeUp != null || batch.isFull()) {
      freeSpace();
    }
  }

  private void freeSpace() {
    if (batch.isFull()) {
      flush();
    } else if (wakeUp != null && batch.size() == 0) {
      wakeUp.run();
    }
  }

  /** Hands over to a policy on the caller's thread, before an object in a batch is reused. */
  public void settle() {
    if (wakeUp == null) {
      flush();
    }
  }

  /** Hands the batch to the watchers and to the policy. */
  public void flush() {
    if (batch.size() == 0) {
      return;
    }
    for (int i = 0; i < watchers.size(); i++) {
      watchers.get(i).accept(batch);
    }
    batch = Objects.requireNonNull(sink).apply(batch);
  }

  /** Forgets what has not been handed over. */
  public void drop() {
    batch.clear();
  }
}
