package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Slabs on the Java heap: quickly made by the thousand, and nothing to free. */
final class ArrayDevice implements Device {

  private final String name;

  ArrayDevice(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DeviceKind kind() {
    return DeviceKind.HOST;
  }

  @Override
  public MemoryMonitor memory() {
    throw new UnsupportedOperationException("nobody asks for the memory of a test");
  }

  @Override
  public Slab reserve(long bytes) {
    return new ArraySlab(this, MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]));
  }

  @Override
  public void close() {}

  private record ArraySlab(Device device, MemorySegment memory) implements Slab {

    @Override
    public long bytes() {
      return memory.byteSize();
    }

    @Override
    public long address() {
      return 0;
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
      target.write(to, memory.asSlice(from, bytes));
    }

    @Override
    public void gatherTokens(TokenGather gather) {
      throw new UnsupportedOperationException("no tokens are gathered here");
    }

    @Override
    public void close() {}
  }
}
