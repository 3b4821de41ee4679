package dev.ebb.host.replay;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestEnd;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.Retention;
import dev.ebb.host.trace.TraceRequest;

/** A request of the trace, copied so that it can wait for its turn. Reused for later ones. */
final class QueuedRequest {

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
            from.recomputeCost());
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
