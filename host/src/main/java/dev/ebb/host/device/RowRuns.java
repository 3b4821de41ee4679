package dev.ebb.host.device;

/**
 * The moves of one lane's rows: those that lie side by side, both where they are and where they go,
 * move as one. In rising order, so that none is overwritten before it has moved. Places are bytes
 * from the slab's beginning to the row as it is in the first lane's keys.
 */
final class RowRuns {

  private final TokenGather gather;
  private final long[] from;
  private final long[] to;
  private final long[] bytes;
  private int count;
  private boolean known;

  RowRuns(TokenGather gather) {
    this.gather = gather;
    from = new long[gather.keptTokens()];
    to = new long[gather.keptTokens()];
    bytes = new long[gather.keptTokens()];
  }

  /** Finds a lane's moves. */
  void of(int lane) {
    if (known && gather.sets() == 1) {
      return;
    }
    known = true;
    count = 0;
    int tokens = gather.blockTokens();
    int kept = gather.keptTokens();
    for (int i = 0; i < kept; ) {
      int token = gather.kept(lane, i);
      int most = Math.min(tokens - Math.max(token % tokens, i % tokens), kept - i);
      int rows = 1;
      while (rows < most && gather.kept(lane, i + rows) == token + rows) {
        rows++;
      }
      if (token != i) {
        from[count] = rowAt(token);
        to[count] = rowAt(i);
        bytes[count++] = (long) rows * gather.rowBytes();
      }
      i += rows;
    }
  }

  private long rowAt(int token) {
    long block = gather.block(token / gather.blockTokens());
    return block * gather.blockBytes() + (long) (token % gather.blockTokens()) * gather.rowBytes();
  }

  int count() {
    return count;
  }

  long from(int run) {
    return from[run];
  }

  long to(int run) {
    return to[run];
  }

  long bytes(int run) {
    return bytes[run];
  }
}
