package dev.ebb.host.device;

import dev.ebb.host.numa.NumaPlacement;
import dev.ebb.host.units.ByteSize;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The memory of the process, outside the Java heap. */
public final class HostDevice implements Device {

  private final MemoryMonitor memory;
  private final @Nullable SharedFile file;
  private final Set<HostSlab> slabs = new HashSet<>();
  private volatile NumaPlacement placement;
  private boolean closed;

  /** Creates a device for this machine's memory, within the limits on this process. */
  public HostDevice() {
    this(NumaPlacement.DEFAULT);
  }

  /** Creates a device whose slabs lie on NUMA nodes. */
  public HostDevice(NumaPlacement placement) {
    this(new HostMemoryMonitor(), null, placement);
  }

  HostDevice(MemoryMonitor memory) {
    this(memory, null, NumaPlacement.DEFAULT);
  }

  private HostDevice(MemoryMonitor memory, @Nullable SharedFile file, NumaPlacement placement) {
    this.memory = memory;
    this.file = file;
    this.placement = placement;
  }

  /**
   * Creates a device whose slabs other processes of the same user can map. All of them lie in one
   * new file.
   *
   * @param folder the folder of the file, on a file system in memory such as {@code /dev/shm}
   * @throws DeviceException if the folder cannot be used
   */
  public static HostDevice sharedIn(Path folder, NumaPlacement placement) {
    return new HostDevice(new HostMemoryMonitor(), SharedFile.in(folder), placement);
  }

  @Override
  public String name() {
    return "host";
  }

  @Override
  public DeviceKind kind() {
    return DeviceKind.HOST;
  }

  @Override
  public MemoryMonitor memory() {
    return memory;
  }

  @Override
  public DeviceTopology topology() {
    return DeviceTopology.of(placement);
  }

  @Override
  public synchronized Slab reserve(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes '%d' must be at least 1".formatted(bytes));
    }
    if (closed) {
      throw new IllegalStateException("device 'host' is closed");
    }
    // A slab takes its memory as it fills, so the reservations of other pools count too.
    long reserved = slabs.stream().mapToLong(HostSlab::bytes).sum();
    if (bytes > memory.availableBytes() || bytes > memory.totalBytes() - reserved) {
      throw new DeviceException(
          "%s do not fit into host memory: %s, %s reserved by other pools; lower ebb.pool.size, or free memory"
              .formatted(ByteSize.format(bytes), memory.describe(), ByteSize.format(reserved)));
    }
    HostSlab slab = new HostSlab(this, bytes, file);
    slabs.add(slab);
    return slab;
  }

  @Override
  public void close() {
    List<HostSlab> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(slabs);
    }
    open.forEach(HostSlab::close);
    if (file != null) {
      file.close();
    }
  }

  /**
   * Places memory that has not been written yet. What the system refused once is not tried again.
   */
  void place(MemorySegment slab) {
    if (!placement.applyTo(slab)) {
      placement = NumaPlacement.DEFAULT;
    }
  }

  synchronized void released(HostSlab slab) {
    slabs.remove(slab);
  }
}
