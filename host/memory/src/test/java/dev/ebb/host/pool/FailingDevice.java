package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.DeviceTopology;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * Host memory that the JVM does not see, as on a GPU, and that can lose a bit on the way in, or
 * refuse a call.
 */
public final class FailingDevice implements Device {

  private final String name;
  private final Device memory;
  private boolean corrupt;
  private boolean fail;
  private boolean lost;
  private List<DeviceTopology.Link> links = List.of();

  /**
   * A device that does all it is asked.
   *
   * @param name its name
   * @param memory where its bytes are
   */
  public FailingDevice(String name, Device memory) {
    this.name = name;
    this.memory = memory;
  }

  /** Loses a bit of what is written next. */
  public void corruptNext() {
    corrupt = true;
  }

  /** Refuses the next call, and does the ones after it. */
  public void failNext() {
    fail = true;
  }

  /** Refuses every call from now on. */
  public void lose() {
    lost = true;
  }

  /** Has fast paths to other devices. */
  public void link(DeviceTopology.Link... links) {
    this.links = List.of(links);
  }

  @Override
  public DeviceTopology topology() {
    return new DeviceTopology(List.of(), "default", links);
  }

  private void mayFail() {
    requireUsable();
    if (fail) {
      fail = false;
      throw new DeviceException("planned failure of '%s'".formatted(name));
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean lost() {
    return lost;
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
      mayFail();
      slab.copyBlocks(moves, blockBytes);
    }

    @Override
    public void read(long offset, MemorySegment target) {
      mayFail();
      slab.read(offset, target);
    }

    @Override
    public void write(long offset, MemorySegment source) {
      mayFail();
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
      mayFail();
      slab.transferTo(target, from, to, bytes);
    }

    @Override
    public void gatherTokens(TokenGather gather) {
      mayFail();
      slab.gatherTokens(gather);
    }

    @Override
    public void close() {
      slab.close();
    }
  }
}
