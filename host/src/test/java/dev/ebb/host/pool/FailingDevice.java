package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** Host memory that the JVM does not see, as on a GPU, and that can lose a bit on the way in. */
final class FailingDevice implements Device {

  private final Device memory;
  private boolean corrupt;

  FailingDevice(Device memory) {
    this.memory = memory;
  }

  void corruptNext() {
    corrupt = true;
  }

  @Override
  public String name() {
    return "failing";
  }

  @Override
  public DeviceKind kind() {
    return DeviceKind.CUDA;
  }

  @Override
  public MemoryMonitor memory() {
    return memory.memory();
  }

  @Override
  public Slab reserve(long bytes) {
    return new FailingSlab(memory.reserve(bytes));
  }

  @Override
  public void close() {
    memory.close();
  }

  private final class FailingSlab implements Slab {

    private final Slab slab;

    FailingSlab(Slab slab) {
      this.slab = slab;
    }

    @Override
    public Device device() {
      return FailingDevice.this;
    }

    @Override
    public long bytes() {
      return slab.bytes();
    }

    @Override
    public long address() {
      return slab.address();
    }

    @Override
    public Optional<MemorySegment> segment() {
      return Optional.empty();
    }

    @Override
    public void copyBlocks(BlockMoves moves, long blockBytes) {
      slab.copyBlocks(moves, blockBytes);
    }

    @Override
    public void read(long offset, MemorySegment target) {
      slab.read(offset, target);
    }

    @Override
    public void write(long offset, MemorySegment source) {
      slab.write(offset, source);
      if (corrupt) {
        corrupt = false;
        MemorySegment memory = slab.segment().orElseThrow();
        byte first = memory.get(ValueLayout.JAVA_BYTE, offset);
        memory.set(ValueLayout.JAVA_BYTE, offset, (byte) (first ^ 1));
      }
    }

    @Override
    public void transferTo(Slab target, long from, long to, long bytes) {
      slab.transferTo(target, from, to, bytes);
    }

    @Override
    public void gatherTokens(TokenGather gather) {
      slab.gatherTokens(gather);
    }

    @Override
    public void close() {
      slab.close();
    }
  }
}
