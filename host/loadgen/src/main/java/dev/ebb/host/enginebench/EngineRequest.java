package dev.ebb.host.enginebench;

import dev.ebb.host.trace.TraceRequest;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A request of a trace.
 *
 * @param number its place in the trace, from 0
 * @param arrivalNanos its arrival in the trace
 * @param sequence its conversation; {@link TraceRequest#UNKNOWN} if it belongs to none
 * @param last whether it is the last one of its conversation
 * @param inputTokens the length of the prompt, at least 1
 * @param outputTokens the length of the answer; {@link TraceRequest#UNKNOWN} if not known
 */
record EngineRequest(
    long number,
    long arrivalNanos,
    @Nullable String tenant,
    long sequence,
    boolean last,
    LongArrayList blocks,
    long inputTokens,
    long outputTokens) {

  boolean isTurn() {
    return sequence != TraceRequest.UNKNOWN;
  }
}
