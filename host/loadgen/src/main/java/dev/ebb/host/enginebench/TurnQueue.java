package dev.ebb.host.enginebench;

import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The requests of a trace, in its order. A turn of a conversation waits for the answer to the turn
 * before it, as its user does.
 */
final class TurnQueue {

  private final TraceCursor trace;
  private final int blockTokens;
  private final Long2LongOpenHashMap lastTurns = new Long2LongOpenHashMap();

  /** For each conversation with a turn on its way, those that wait for its answer. */
  private final Long2ObjectOpenHashMap<Queue<EngineRequest>> waiting =
      new Long2ObjectOpenHashMap<>();

  private long number;

  TurnQueue(DecodedTrace trace, int blockTokens) {
    this.trace = trace.cursor();
    this.blockTokens = blockTokens;
    TraceCursor ahead = trace.cursor();
    for (long i = 0; ahead.next(); i++) {
      lastTurns.put(ahead.request().sequenceId(), i);
    }
  }

  /** Returns the next request that can be sent now; null at the end. */
  synchronized @Nullable EngineRequest take() {
    EngineRequest next = next();
    while (next != null && !claim(next)) {
      next = next();
    }
    return next;
  }

  /** Returns the next request of the trace; null at the end. */
  synchronized @Nullable EngineRequest next() {
    if (!trace.next()) {
      return null;
    }
    TraceRequest request = trace.request();
    long place = number++;
    long inputTokens = inputTokens(request, blockTokens);
    return new EngineRequest(
        place,
        request.timestampNanos(),
        request.tenant(),
        request.sequenceId(),
        lastTurns.get(request.sequenceId()) == place,
        blocks(request, place, inputTokens),
        inputTokens,
        request.outputTokens());
  }

  /** Returns the length of a prompt: a recording has blocks only, and other traces tokens only. */
  static long inputTokens(TraceRequest request, int blockTokens) {
    long tokens = request.inputTokens();
    return tokens > 0 ? tokens : Math.max(1, (long) request.blocks() * blockTokens);
  }

  private LongArrayList blocks(TraceRequest request, long place, long inputTokens) {
    int from = request.from();
    if (request.blocks() > 0) {
      LongArrayList blocks = new LongArrayList(request.blocks());
      blocks.addElements(0, request.ids(), from, request.blocks());
      return blocks;
    }
    LongArrayList blocks = new LongArrayList();
    for (long block = 0; block * blockTokens < inputTokens; block++) {
      // A prompt like no other: the upper half is the request's place.
      blocks.add(~(place << 32 | block));
    }
    return blocks;
  }

  /**
   * Returns whether a request can be sent now. If not, {@link #after} returns it later.
   *
   * @return false if an earlier turn of its conversation is on its way
   */
  synchronized boolean claim(EngineRequest request) {
    if (!request.isTurn()) {
      return true;
    }
    Queue<EngineRequest> others = waiting.get(request.sequence());
    if (others != null) {
      others.add(request);
      return false;
    }
    waiting.put(request.sequence(), new ArrayDeque<>());
    return true;
  }

  /** Returns the turn that waited for this one; null if there is none. */
  synchronized @Nullable EngineRequest after(EngineRequest request) {
    Queue<EngineRequest> others = waiting.get(request.sequence());
    EngineRequest next = others == null ? null : others.poll();
    if (next == null) {
      waiting.remove(request.sequence());
    }
    return next;
  }
}
