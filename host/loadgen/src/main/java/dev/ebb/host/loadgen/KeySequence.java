package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.function.Supplier;

/** The ids of a trace, one after the other; it starts again after the last one. */
public final class KeySequence implements AutoCloseable {

  private final Supplier<? extends TraceCursor> traces;
  private TraceCursor trace;
  private long[] ids = new long[0];
  private int at;
  private int end;
  private boolean any;

  /**
   * Creates a sequence before its first key.
   *
   * @param traces opens the trace, again each time it has ended
   */
  public KeySequence(Supplier<? extends TraceCursor> traces) {
    this.traces = traces;
    trace = traces.get();
  }

  /**
   * Returns the id of the next key.
   *
   * @throws UserError if the trace cannot be read, or has no block ids
   */
  public long next() {
    while (at == end) {
      if (!trace.next()) {
        if (!any) {
          throw new UserError(
              "the trace has no block ids, so there are no keys to request; use a trace with hash_ids");
        }
        trace.close();
        trace = traces.get();
        continue;
      }
      TraceRequest request = trace.request();
      ids = request.ids();
      at = request.from();
      end = at + request.blocks();
      any |= at < end;
    }
    return ids[at++];
  }

  @Override
  public void close() {
    trace.close();
  }
}
