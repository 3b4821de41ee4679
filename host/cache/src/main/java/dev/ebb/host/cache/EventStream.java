package dev.ebb.host.cache;

import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the cache writes down what happens: in batches, first for the watchers, then the policy.
 */
final class EventStream {

  private final List<EventConsumer> watchers = new ArrayList<>();
  private EventBatch batch = new EventBatch();
  private @Nullable PolicyExecutor seat;
  private boolean watcherHearsRequests;
  private boolean policyHearsRequests;
  private boolean requestsHeard;
  private boolean waits;

  EventStream() {}

  /**
   * Connects the policy's side.
   *
   * @param policySeat receives batches
   * @param late whether the policy hears of events later, on its own thread, so that what a batch
   *     refers to must last
   */
  void connect(PolicyExecutor policySeat, boolean late) {
    seat = policySeat;
    waits = late;
  }

  void watch(EventConsumer watcher) {
    handOver();
    watchers.add(watcher);
    watcherHearsRequests |= watcher.hearsRequests();
    requestsHeard = watcherHearsRequests || policyHearsRequests;
  }

  void policyHearsRequests(boolean hears) {
    policyHearsRequests = hears;
    requestsHeard = watcherHearsRequests || policyHearsRequests;
  }

  /** Whether anybody wants BEGAN and ENDED. */
  boolean requestsHeard() {
    return requestsHeard;
  }

  boolean isEmpty() {
    return batch.size() == 0;
  }

  int size() {
    return batch.size();
  }

  void emit(EventBatch.Kind kind, CacheEntry entry) {
    room();
    batch.add(kind, entry);
  }

  void emitRemoved(CacheEntry entry, RemovalCause cause, long record) {
    room();
    batch.addRemoved(entry, cause, record);
  }

  void emit(EventBatch.Kind kind, CacheRequest request) {
    room();
    batch.add(kind, waits ? request.frozen() : request);
  }

  private void room() {
    if (waits || batch.isFull()) {
      makeRoom();
    }
  }

  private void makeRoom() {
    if (batch.isFull()) {
      handOver();
    } else if (batch.size() == 0) {
      Objects.requireNonNull(seat).stirred();
    }
  }

  /** Lets a policy that runs on the caller's thread hear everything before something is reused. */
  void settle() {
    if (!waits) {
      handOver();
    }
  }

  /** Gives the batch to the watchers and to the policy. */
  void handOver() {
    if (batch.size() == 0) {
      return;
    }
    for (int i = 0; i < watchers.size(); i++) {
      watchers.get(i).accept(batch);
    }
    batch = Objects.requireNonNull(seat).accept(batch);
  }

  /** Forgets what has not been handed over. */
  void drop() {
    batch.clear();
  }
}
