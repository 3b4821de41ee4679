package dev.ebb.host.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One mapping of host memory. Memory of this process alone is committed as it is written. */
final class HostSlab implements Slab {

  private final HostDevice device;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final @Nullable FileRange shared;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Maps memory.
   *
   * @param file where it lies, to be shared; null for memory of this process alone
   */
  HostSlab(HostDevice device, long bytes, @Nullable SharedFile file) {
    this.device = device;
    try {
      if (file == null) {
        shared = null;
        memory = AnonymousMapping.map(bytes, arena);
        device.place(memory);
      } else {
        shared = file.extend(bytes, device::place);
        memory = file.map(shared, bytes, arena);
      }
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
  public Optional<FileRange> shared() {
    return Optional.ofNullable(shared);
  }

  @Override
  public void copyBlocks(BlockMoves moves, long blockBytes) {
    for (int i = 0; i < moves.count(); ) {
      int run = moves.run(i);
      MemorySegment.copy(
          memory, moves.from(i) * blockBytes, memory, moves.to(i) * blockBytes, run * blockBytes);
      i += run;
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
    new HostGather(memory, gather).run();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      device.released(this);
      arena.close();
    }
  }
}
