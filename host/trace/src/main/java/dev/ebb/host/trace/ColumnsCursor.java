package dev.ebb.host.trace;

import dev.ebb.host.cache.index.Retention;
import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Iterates over requests in memory, in the order of their lines or of their times. */
final class ColumnsCursor extends SizedTraceCursor {

  private final RequestColumns columns;
  private final int @Nullable [] order;

  /** What the requests retain, in place of what they state; null for that. */
  private final @Nullable Retention @Nullable [] retentions;

  ColumnsCursor(RequestColumns columns, @Nullable Retention @Nullable [] retentions) {
    this(columns, null, retentions);
  }

  private ColumnsCursor(
      RequestColumns columns, int @Nullable [] order, @Nullable Retention @Nullable [] retentions) {
    super(columns.requests());
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
  protected void fill(long index, TraceRequest next) {
    int at = (int) index;
    columns.read(order == null ? at : order[at], next);
    if (retentions != null) {
      next.retention = retentions[at];
    }
  }
}
