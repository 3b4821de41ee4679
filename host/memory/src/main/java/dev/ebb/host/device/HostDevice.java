package dev.ebb.host.device;

import dev.ebb.host.units.ByteSize;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The memory of the process, outside the Java heap. */
public final class HostDevice implements Device {

  private final MemoryMonitor memory;
  private final Set<HostSlab> slabs = new HashSet<>();
  private boolean closed;

  /** Creates a device for this machine's memory, within the limits on this process. */
  public HostDevice() {
    this(new HostMemoryMonitor());
  }

  HostDevice(MemoryMonitor memory) {
    this.memory = memory;
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
    HostSlab slab = new HostSlab(this, bytes);
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
  }

  synchronized void released(HostSlab slab) {
    slabs.remove(slab);
  }
}
