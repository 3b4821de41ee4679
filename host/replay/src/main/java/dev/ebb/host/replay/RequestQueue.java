package dev.ebb.host.replay;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.trace.TraceRequest;
import dev.ebb.spi.Request;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The request that is served next and those that wait behind it, in the order of the trace. */
final class RequestQueue {

  private final int lookahead;
  private final int blockTokens;
  private @Nullable QueuedRequest[] ring = new QueuedRequest[1];
  private int first;
  private int size;
  private final List<Request> waiting = new Waiting();

  /**
   * Creates an empty queue.
   *
   * @param lookahead how many requests wait behind the one that is served
   * @param blockTokens tokens in a full block
   */
  RequestQueue(int lookahead, int blockTokens) {
    this.lookahead = lookahead;
    this.blockTokens = blockTokens;
  }

  /** Returns whether as many requests wait as should. */
  boolean isFull() {
    return size > lookahead;
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Adds a copy of a request of the trace; the queue must not be full. */
  void add(TraceRequest from) {
    if (size == ring.length) {
      grow();
    }
    int at = (first + size++) % ring.length;
    QueuedRequest slot = ring[at];
    if (slot == null) {
      slot = new QueuedRequest();
      ring[at] = slot;
    }
    slot.become(from, blockTokens);
  }

  private void grow() {
    @Nullable QueuedRequest[] inOrder = Arrays.copyOfRange(ring, first, first + 2 * size);
    System.arraycopy(ring, 0, inOrder, size - first, first);
    ring = inOrder;
    first = 0;
  }

  /** Returns the request to serve; there must be one. */
  QueuedRequest next() {
    return at(0);
  }

  /** Returns the requests behind it, next first; a view. */
  List<Request> waiting() {
    return waiting;
  }

  /** Removes the request that was served. */
  void remove() {
    first = (first + 1) % ring.length;
    size--;
  }

  private QueuedRequest at(int index) {
    return Objects.requireNonNull(ring[(first + index) % ring.length]);
  }

  private final class Waiting extends AbstractList<Request> {
    @Override
    public Request get(int index) {
      return at(1 + Objects.checkIndex(index, size())).chain;
    }

    @Override
    public int size() {
      return Math.max(0, size - 1);
    }
  }

  /** A request of the trace, copied so that it can wait for its turn. Reused for later ones. */
  static final class QueuedRequest {

    /** Its chain of keys, and what is known before it is served. */
    final CacheRequest chain = new CacheRequest();

    long timestampNanos;
    long inputTokens;
    long outputTokens;
    RequestFacts facts = RequestFacts.UNKNOWN;

    /** What is known after it was served. */
    RequestFacts ended = RequestFacts.UNKNOWN;

    void become(TraceRequest from, int blockTokens) {
      timestampNanos = from.timestampNanos();
      inputTokens = from.inputTokens();
      outputTokens = from.outputTokens();
      facts =
          new RequestFacts(
              from.sequenceId(),
              from.turn(),
              inputTokens,
              -1,
              from.priority(),
              from.tenant(),
              from.workload(),
              0,
              from.lifetimeNanos(),
              from.recomputeCost(),
              RequestEnd.UNKNOWN);
      Retention retention = from.retention();
      ended =
          facts.ended(
              from.hint(),
              new RequestEnd(
                  from.finishReason(),
                  from.model(),
                  from.returnNanos(),
                  retention == null
                      ? null
                      : retention.inBlocks(blockTokens).startingAt(timestampNanos)));
      chain.reset(facts, inputTokens);
      long[] ids = from.ids();
      int end = from.from() + from.blocks();
      for (int i = from.from(); i < end; i++) {
        chain.add(ids[i]);
      }
    }
  }
}
