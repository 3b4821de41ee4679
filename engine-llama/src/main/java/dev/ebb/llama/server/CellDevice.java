package dev.ebb.llama.server;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.DeviceKind;
import dev.ebb.host.device.MemoryMonitor;
import dev.ebb.host.device.Slab;
import dev.ebb.host.device.TokenGather;
import dev.ebb.host.units.ByteSize;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The memory of llama.cpp's cells as a device. Ebb accounts for its blocks; only llama.cpp reads
 * and writes them. A copy of a block moves no bytes, because cells have no order.
 */
final class CellDevice implements Device {

  private static final String NAME = "llama";

  private final long bytes;
  private final BlockCells cells;

  CellDevice(long bytes, BlockCells cells) {
    this.bytes = bytes;
    this.cells = cells;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DeviceKind kind() {
    return DeviceKind.HOST;
  }

  /** Returns a monitor of the cells, which are allocated at the start. */
  @Override
  public MemoryMonitor memory() {
    return new MemoryMonitor() {
      @Override
      public long totalBytes() {
        return bytes;
      }

      @Override
      public long availableBytes() {
        return bytes;
      }

      @Override
      public String describe() {
        return ByteSize.format(bytes) + " of KV cells";
      }
    };
  }

  @Override
  public Slab reserve(long wanted) {
    if (wanted > bytes) {
      throw new DeviceException(
          "'%s' do not fit into the cells of llama.cpp, which have %s"
              .formatted(ByteSize.format(wanted), ByteSize.format(bytes)));
    }
    return new CellSlab(wanted);
  }

  @Override
  public void close() {
    // The context owns the cells.
  }

  private final class CellSlab implements Slab {

    private final long size;

    CellSlab(long size) {
      this.size = size;
    }

    @Override
    public Device device() {
      return CellDevice.this;
    }

    @Override
    public long bytes() {
      return size;
    }

    @Override
    public long address() {
      return 0;
    }

    @Override
    public Optional<MemorySegment> segment() {
      return Optional.empty();
    }

    @Override
    public void copyBlocks(BlockMoves moves, long blockBytes) {
      for (int i = 0; i < moves.count(); i++) {
        cells.moved(moves.from(i), moves.to(i));
      }
    }

    @Override
    public void read(long offset, MemorySegment target) {
      throw unreachable();
    }

    @Override
    public void write(long offset, MemorySegment source) {
      throw unreachable();
    }

    @Override
    public void transferTo(Slab target, long from, long to, long count) {
      throw unreachable();
    }

    @Override
    public void gatherTokens(TokenGather gather) {
      throw unreachable();
    }

    private static UnsupportedOperationException unreachable() {
      return new UnsupportedOperationException("only llama.cpp reads and writes its cells");
    }

    @Override
    public void close() {
      // The context owns the cells.
    }
  }
}
