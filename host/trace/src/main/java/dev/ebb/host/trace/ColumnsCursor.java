package dev.ebb.host.trace;

import dev.ebb.host.cache.index.Retention;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Iterates over requests in memory, in the order of their lines or of their times. */
final class ColumnsCursor implements TraceCursor {

  private final RequestColumns columns;
  private final int @Nullable [] order;
  private final TraceRequest request = new TraceRequest();
  private int next;

  /** What the requests retain, in place of what they state; null for that. */
  private final @Nullable Retention @Nullable [] retentions;

  ColumnsCursor(RequestColumns columns, @Nullable Retention @Nullable [] retentions) {
    this(columns, null, retentions);
  }

  private ColumnsCursor(
      RequestColumns columns, int @Nullable [] order, @Nullable Retention @Nullable [] retentions) {
    this.columns = columns;
    this.order = order;
    this.retentions = retentions;
  }

  /** Returns a cursor over the requests by time; those of the same time keep their order. */
  static ColumnsCursor byTime(RequestColumns columns) {
    int[] order = new int[columns.requests()];
    Arrays.setAll(order, i -> i);
    IntArrays.stableSort(
        order, (a, b) -> Long.compare(columns.timestamps[a], columns.timestamps[b]));
    return new ColumnsCursor(columns, order, null);
  }

  @Override
  public boolean next() {
    if (next >= columns.requests()) {
      return false;
    }
    columns.read(order == null ? next : order[next], request);
    if (retentions != null) {
      request.retention = retentions[next];
    }
    next++;
    return true;
  }

  @Override
  public TraceRequest request() {
    return request;
  }

  @Override
  public long requestsRead() {
    return next;
  }

  @Override
  public double fraction() {
    return columns.requests() == 0 ? 1 : (double) next / columns.requests();
  }

  @Override
  public void close() {}
}
