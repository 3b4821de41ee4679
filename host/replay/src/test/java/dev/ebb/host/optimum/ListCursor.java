package dev.ebb.host.optimum;

import dev.ebb.host.trace.SizedTraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.List;

/** A trace of given block ids, ten tokens a block. */
final class ListCursor extends SizedTraceCursor {

  private final List<int[]> ids;

  ListCursor(List<int[]> ids) {
    super(ids.size());
    this.ids = ids;
  }

  @Override
  protected void fill(long index, TraceRequest next) {
    int[] blocks = ids.get((int) index);
    next.clear();
    next.timestampNanos = index;
    next.inputTokens = 10L * blocks.length;
    for (int id : blocks) {
      next.addId(id);
    }
  }
}
