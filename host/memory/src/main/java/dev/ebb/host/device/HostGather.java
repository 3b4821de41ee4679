package dev.ebb.host.device;

import java.lang.foreign.MemorySegment;

/**
 * Packs kept tokens in memory that the JVM can reach. The rows of a lane move in rising order, so
 * that none is overwritten before it has moved. Rows that are adjacent in both places move
 * together, and so do whole blocks. A row's K and V move together, so that the processor waits for
 * both memory reads in parallel.
 */
final class HostGather {

  private final MemorySegment memory;
  private final TokenGather gather;
  private final int tokens;
  private final int rowBytes;

  private final long planeBytes;

  HostGather(MemorySegment memory, TokenGather gather) {
    this.memory = memory;
    this.gather = gather;
    tokens = gather.blockTokens();
    rowBytes = gather.rowBytes();
    planeBytes = (long) tokens * rowBytes;
  }

  void run() {
    int count = gather.keptTokens();
    if (gather.sets() == 1 && mostlyWhole()) {
      for (int first = 0; first < count; first += tokens) {
        fillAlike(first, Math.min(first + tokens, count));
      }
      return;
    }
    for (int lane = 0; lane < gather.lanes(); lane++) {
      int page = 0;
      for (int first = 0; first < count; first += tokens) {
        page = fill(lane, first, Math.min(first + tokens, count), page);
      }
    }
  }

  /** Returns whether at least half of the blocks move as they are. */
  private boolean mostlyWhole() {
    int whole = 0;
    for (int first = 0; first < gather.keptTokens(); first += tokens) {
      whole += isWhole(first) ? 1 : 0;
    }
    return 2L * whole * tokens >= gather.keptTokens();
  }

  private boolean isWhole(int first) {
    int[] kept = gather.kept(0);
    int last = first + tokens - 1;
    return last < gather.keptTokens()
        && kept[first] % tokens == 0
        && kept[last] == kept[first] + tokens - 1;
  }

  /** Moves the rows of one target block, the same in all lanes. */
  private void fillAlike(int first, int last) {
    int token = gather.kept(0)[first];
    int page = token / tokens;
    if (!isWhole(first)) {
      for (int lane = 0; lane < gather.lanes(); lane++) {
        int _ = fill(lane, first, last, page);
      }
    } else if (token != first) {
      long bytes = gather.blockBytes();
      long from = gather.block(page) * bytes;
      MemorySegment.copy(memory, from, memory, gather.block(first / tokens) * bytes, bytes);
    }
  }

  /**
   * Moves a lane's rows of one target block.
   *
   * @param from a page at or before the one of the first row
   * @return the page of the last row
   */
  private int fill(int lane, int first, int last, int from) {
    int[] kept = gather.kept(lane);
    long plane = 2L * lane * planeBytes;
    long target = gather.block(first / tokens) * gather.blockBytes() + plane;
    int page = from;
    for (int i = first; i < last; ) {
      int token = kept[i];
      while (token >= (page + 1) * tokens) {
        page++;
      }
      int within = token - page * tokens;
      int most = Math.min(tokens - within, last - i);
      int rows = 1;
      while (rows < most && kept[i + rows] == token + rows) {
        rows++;
      }
      if (token != i) {
        long source = gather.block(page) * gather.blockBytes() + plane + (long) within * rowBytes;
        move(source, target + (long) (i - first) * rowBytes, (long) rows * rowBytes);
      }
      i += rows;
    }
    return page;
  }

  private void move(long from, long to, long bytes) {
    MemorySegment.copy(memory, from, memory, to, bytes);
    MemorySegment.copy(memory, from + planeBytes, memory, to + planeBytes, bytes);
  }
}
