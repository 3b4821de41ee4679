package dev.ebb.host.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** One lazily committed mapping of host memory. */
final class HostSlab implements Slab {

  private final HostDevice device;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final AtomicBoolean closed = new AtomicBoolean();

  HostSlab(HostDevice device, long bytes) {
    this.device = device;
    try {
      memory = AnonymousMapping.map(bytes, arena);
    } catch (RuntimeException refused) {
      arena.close();
      throw refused;
    }
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public long bytes() {
    return memory.byteSize();
  }

  @Override
  public long address() {
    return memory.address();
  }

  @Override
  public Optional<MemorySegment> segment() {
    return Optional.of(memory);
  }

  @Override
  public void copyBlocks(BlockMoves moves, long blockBytes) {
    for (int i = 0; i < moves.count(); i++) {
      MemorySegment.copy(
          memory, moves.from(i) * blockBytes, memory, moves.to(i) * blockBytes, blockBytes);
    }
  }

  @Override
  public void read(long offset, MemorySegment target) {
    MemorySegment.copy(memory, offset, target, 0, target.byteSize());
  }

  @Override
  public void write(long offset, MemorySegment source) {
    MemorySegment.copy(source, 0, memory, offset, source.byteSize());
  }

  @Override
  public void transferTo(Slab target, long from, long to, long bytes) {
    Optional<MemorySegment> other = target.segment();
    if (other.isPresent()) {
      MemorySegment.copy(memory, from, other.get(), to, bytes);
    } else {
      target.write(to, memory.asSlice(from, bytes));
    }
  }

  @Override
  public void gatherTokens(TokenGather gather) {
    for (int i = 0; i < gather.blockCount(); i++) {
      Objects.checkFromIndexSize(
          gather.block(i) * gather.blockBytes(), gather.blockBytes(), bytes());
    }
    for (int lane = 0; lane < gather.lanes(); lane++) {
      // A kept token never moves back, so in rising order none is overwritten before it moved.
      for (int i = 0; i < gather.keptTokens(); ) {
        int rows = rowsTogether(gather, lane, i);
        if (gather.kept(lane, i) != i) {
          copyRows(gather, lane, 0, i, rows);
          copyRows(gather, lane, 1, i, rows);
        }
        i += rows;
      }
    }
  }

  /** How many rows from one on lie side by side, both where they are and where they go. */
  private static int rowsTogether(TokenGather gather, int lane, int to) {
    int from = gather.kept(lane, to);
    int tokens = gather.blockTokens();
    int most = Math.min(tokens - Math.max(from % tokens, to % tokens), gather.keptTokens() - to);
    int rows = 1;
    while (rows < most && gather.kept(lane, to + rows) == from + rows) {
      rows++;
    }
    return rows;
  }

  private void copyRows(TokenGather gather, int lane, int value, int to, int rows) {
    MemorySegment.copy(
        memory,
        rowAt(gather, lane, value, gather.kept(lane, to)),
        memory,
        rowAt(gather, lane, value, to),
        (long) rows * gather.rowBytes());
  }

  private static long rowAt(TokenGather gather, int lane, int value, int token) {
    long block = gather.block(token / gather.blockTokens());
    int row = (lane * 2 + value) * gather.blockTokens() + token % gather.blockTokens();
    return block * gather.blockBytes() + (long) row * gather.rowBytes();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      device.released(this);
      arena.close();
    }
  }
}
