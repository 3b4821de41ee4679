package dev.ebb.host.store.chain;

import dev.ebb.host.cache.index.RequestFacts;
import org.jspecify.annotations.Nullable;

/**
 * Receives the requests of engines at their end. Called while a part of the store is locked:
 * implementations return quickly, do not wait, and do not call the store.
 */
public interface RequestListener {

  RequestListener NONE = request -> {};

  void ended(EndedRequest request);

  /** Begins the trace of a request before its end, because something is read for it elsewhere. */
  default RequestTrace traced(@Nullable String traceparent, long beganNanos) {
    return RequestTrace.NONE;
  }

  /** Receives a read of another tier for a request. Any thread calls it, without a lock. */
  default void read(TierRead read) {
    // Most listeners need requests only.
  }

  /** The trace of a request that has not ended. */
  interface RequestTrace {

    RequestTrace NONE = () -> null;

    /**
     * Returns the context for parts of the request, in W3C's format; null if it is not recorded.
     */
    @Nullable String traceparent();
  }

  /**
   * A read for a request, of this node or another one.
   *
   * @param traceparent the trace context of the request, unchecked
   * @param disk whether this node has read its disk; otherwise another node has read from this one
   * @param nanos how long it took until now
   * @param bytes the bytes that were read; -1 if there was no value
   */
  record TierRead(String traceparent, boolean disk, long nanos, long bytes) {}

  /**
   * A request of an engine.
   *
   * @param id the client's name for it; null if the server has inferred the request from lookups
   * @param traceparent the client's trace context in W3C's format; null if it has sent none
   * @param policy the eviction policy at its end
   * @param inputTokens the tokens of its prompt; -1 if unknown
   * @param outputTokens the tokens of its answer; -1 if unknown
   * @param beganNanos how long ago it began
   * @param lastNanos how long ago it was active last
   * @param hits the leading ones that were found and usable, here or elsewhere
   * @param hitsHere how many of these memory alone could serve
   * @param diskReads chunks that were read from the disk for it
   * @param peerReads chunks that were read from other nodes for it
   * @param stored chunks that were stored for it
   * @param evictions entries that were evicted while it waited for memory
   * @param slowest the longest times of its steps
   * @param trace what {@link #traced} has returned for it; null if it was not called
   */
  record EndedRequest(
      @Nullable String id,
      @Nullable String traceparent,
      RequestFacts facts,
      String policy,
      long inputTokens,
      long outputTokens,
      long beganNanos,
      long lastNanos,
      int chunks,
      int hits,
      int hitsHere,
      int diskReads,
      int peerReads,
      int stored,
      long evictions,
      SlowestSteps slowest,
      @Nullable RequestTrace trace) {}
}
