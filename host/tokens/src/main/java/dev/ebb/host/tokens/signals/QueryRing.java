package dev.ebb.host.tokens.signals;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The last queries of one layer, those of the newest tokens. Not thread-safe. */
final class QueryRing {

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int queryHeads;
  private final int window;
  private final int headDim;

  private final float[] queries;

  private int held;
  private int position;

  QueryRing(int queryHeads, int window, int headDim) {
    this.queryHeads = queryHeads;
    this.window = window;
    this.headDim = headDim;
    queries = new float[queryHeads * window * headDim];
  }

  QueryRing copy() {
    QueryRing copy = new QueryRing(queryHeads, window, headDim);
    System.arraycopy(queries, 0, copy.queries, 0, queries.length);
    copy.held = held;
    copy.position = position;
    return copy;
  }

  /** Adds queries of tokens that end before a position. */
  void add(MemorySegment given, int count, int before) {
    held = position == before - count ? Math.min(window, held + count) : Math.min(window, count);
    position = before;
    for (int head = 0; head < queryHeads; head++) {
      for (int i = Math.max(0, count - window); i < count; i++) {
        int slot = (before - count + i) % window;
        MemorySegment.copy(
            given,
            FLOAT,
            ((long) head * count + i) * headDim * Float.BYTES,
            queries,
            (head * window + slot) * headDim,
            headDim);
      }
    }
  }

  /** Returns the number of queries of the newest tokens before a position. */
  int held(int before) {
    return position == before ? held : 0;
  }

  /** Copies the last queries of some heads, oldest first: {@code [heads][count][headDim]}. */
  void copyTo(float[] out, int firstHead, int heads, int count) {
    for (int head = 0; head < heads; head++) {
      for (int i = 0; i < count; i++) {
        int slot = (position - count + i) % window;
        System.arraycopy(
            queries,
            ((firstHead + head) * window + slot) * headDim,
            out,
            (head * count + i) * headDim,
            headDim);
      }
    }
  }
}
