package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * The times of requests that only state a delay after the previous request of their session. The
 * time that the answer took is not known, so it does not count.
 */
final class SessionClock {

  private final Long2LongOpenHashMap last = new Long2LongOpenHashMap();

  /** Sets the time of a request, if it states only a delay, and remembers it for its session. */
  void time(TraceRequest request, boolean delayed, long delayNanos) {
    if (request.sequenceId == TraceRequest.UNKNOWN) {
      return;
    }
    if (delayed) {
      request.timestampNanos = last.get(request.sequenceId) + delayNanos;
    }
    last.put(request.sequenceId, request.timestampNanos);
  }
}
