package dev.ebb.host.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Copies of requests, to compare with. */
final class Requests {

  /** All that is known of a request. */
  record Copy(
      long timestampNanos,
      long inputTokens,
      long outputTokens,
      List<Long> ids,
      long sequenceId,
      int turn,
      @Nullable String tenant,
      @Nullable String workload,
      int priority,
      int hint,
      long lifetimeNanos,
      double recomputeCost) {

    Copy(
        long timestampNanos,
        long inputTokens,
        long outputTokens,
        List<Long> ids,
        long sequenceId,
        int turn,
        @Nullable String tenant,
        @Nullable String workload,
        int priority,
        int hint) {
      this(
          timestampNanos,
          inputTokens,
          outputTokens,
          ids,
          sequenceId,
          turn,
          tenant,
          workload,
          priority,
          hint,
          -1,
          Double.NaN);
    }
  }

  private Requests() {}

  static List<Copy> of(TraceCursor cursor) {
    List<Copy> copies = new ArrayList<>();
    while (cursor.next()) {
      copies.add(of(cursor.request()));
    }
    return copies;
  }

  static Copy of(TraceRequest request) {
    return new Copy(
        request.timestampNanos(),
        request.inputTokens(),
        request.outputTokens(),
        Arrays.stream(request.ids(), request.from(), request.from() + request.blocks())
            .boxed()
            .toList(),
        request.sequenceId(),
        request.turn(),
        request.tenant(),
        request.workload(),
        request.priority(),
        request.hint(),
        request.lifetimeNanos(),
        request.recomputeCost());
  }
}
