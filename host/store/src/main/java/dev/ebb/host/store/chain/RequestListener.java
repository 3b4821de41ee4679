package dev.ebb.host.store.chain;

import dev.ebb.host.cache.index.RequestFacts;
import org.jspecify.annotations.Nullable;

/**
 * Receives the requests of engines at their end. Called while a part of the store is locked:
 * implementations return quickly, do not wait, and do not call the store.
 */
public interface RequestListener {

  /** Ignores all requests. */
  RequestListener NONE = request -> {};

  void ended(EndedRequest request);

  /**
   * A request of an engine.
   *
   * @param id the client's name for it; null if the server has inferred the request from lookups
   * @param traceparent the client's trace context in W3C's format; null if it has sent none
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
   */
  record EndedRequest(
      @Nullable String id,
      @Nullable String traceparent,
      RequestFacts facts,
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
      SlowestSteps slowest) {}
}
