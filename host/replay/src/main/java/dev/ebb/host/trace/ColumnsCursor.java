package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.ints.IntArrays;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Iterates over requests in memory, in the order of their lines or of their times. */
final class ColumnsCursor implements TraceCursor, TraceRequest {

  private final RequestColumns columns;
  private final int @Nullable [] order;
  private int next;
  private int at = -1;

  ColumnsCursor(RequestColumns columns) {
    this(columns, null);
  }

  private ColumnsCursor(RequestColumns columns, int @Nullable [] order) {
    this.columns = columns;
    this.order = order;
  }

  /** Returns a cursor over the requests by time; those of the same time keep their order. */
  static ColumnsCursor byTime(RequestColumns columns) {
    int[] order = new int[columns.requests()];
    Arrays.setAll(order, i -> i);
    IntArrays.stableSort(
        order, (a, b) -> Long.compare(columns.timestamps[a], columns.timestamps[b]));
    return new ColumnsCursor(columns, order);
  }

  @Override
  public boolean next() {
    if (next >= columns.requests()) {
      return false;
    }
    at = order == null ? next : order[next];
    next++;
    return true;
  }

  @Override
  public TraceRequest request() {
    return this;
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

  @Override
  public long timestampNanos() {
    return columns.timestamps[at];
  }

  @Override
  public long inputTokens() {
    return columns.inputTokens[at];
  }

  @Override
  public long outputTokens() {
    return columns.outputTokens[at];
  }

  @Override
  public long[] ids() {
    return columns.ids;
  }

  @Override
  public int from() {
    return columns.starts[at];
  }

  @Override
  public int blocks() {
    return columns.starts[at + 1] - columns.starts[at];
  }

  @Override
  public long sequenceId() {
    return columns.sequenceIds[at];
  }

  @Override
  public int turn() {
    return columns.turns[at];
  }

  @Override
  public @Nullable String tenant() {
    return columns.label(columns.tenants[at]);
  }

  @Override
  public @Nullable String workload() {
    return columns.label(columns.workloads[at]);
  }

  @Override
  public int priority() {
    return columns.priorities[at];
  }

  @Override
  public int hint() {
    return columns.hints[at];
  }

  @Override
  public @Nullable String finishReason() {
    return columns.label(columns.finishReasons[at]);
  }

  @Override
  public @Nullable String model() {
    return columns.label(columns.models[at]);
  }

  @Override
  public long returnNanos() {
    return columns.returns[at];
  }

  @Override
  public long lifetimeNanos() {
    return columns.lifetimes[at];
  }

  @Override
  public double recomputeCost() {
    return columns.recomputeCosts[at];
  }
}
