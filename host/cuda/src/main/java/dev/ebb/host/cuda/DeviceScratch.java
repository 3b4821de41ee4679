package dev.ebb.host.cuda;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * Memory for a kernel's arguments and results: pinned on the host, with a counterpart on the GPU.
 * Grows to the largest need so far. One user at a time.
 */
final class DeviceScratch implements AutoCloseable {

  private static final long LEAST_BYTES = 1 << 20;

  /** Every part starts at a multiple of this, so that kernels may read it in wide units. */
  private static final long ALIGNMENT = 256;

  private final CudaContext context;
  private final PinnedMemory memory;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable PinnedBuffer host;
  private @Nullable DevicePointer device;

  DeviceScratch(CudaContext context, PinnedMemory memory) {
    this.context = context;
    this.memory = memory;
  }

  /** Returns the size of consecutive parts. */
  static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /** Lends the memory to the calling thread. */
  void use(long bytes, Consumer<Parts> user) {
    lock.lock();
    try {
      user.accept(grown(bytes));
    } finally {
      lock.unlock();
    }
  }

  private Parts grown(long bytes) {
    PinnedBuffer pinned = host;
    DevicePointer pointer = device;
    if (pinned == null || pointer == null || pinned.segment().byteSize() < bytes) {
      close();
      long size = Math.max(LEAST_BYTES, Long.highestOneBit(Math.max(1, bytes - 1)) << 1);
      DevicePointer fresh = new DevicePointer();
      context.run(() -> context.check(JCudaDriver.cuMemAlloc(fresh, size), "cuMemAlloc"));
      device = pointer = fresh;
      host = pinned = memory.allocate(size);
    }
    return new Parts(context, pinned.segment(), pointer.value());
  }

  @Override
  public void close() {
    PinnedBuffer pinned = host;
    DevicePointer pointer = device;
    host = null;
    device = null;
    if (pointer != null) {
      context.release(() -> JCudaDriver.cuMemFree(pointer), "cuMemFree");
    }
    if (pinned != null) {
      pinned.close();
    }
  }

  /**
   * The memory while it is lent.
   *
   * @param context whose stream the copies are queued on
   */
  record Parts(CudaContext context, MemorySegment host, long device) {

    /** Queues a copy to the GPU; on the context's thread. */
    void upload(long offset, long bytes) {
      context.check(
          JCudaDriver.cuMemcpyHtoDAsync(
              DevicePointer.at(device + offset),
              DevicePointer.host(host.address() + offset),
              bytes,
              context.stream()),
          "cuMemcpyHtoDAsync");
    }

    /** Queues a copy to the host; on the context's thread. */
    void download(long offset, long bytes) {
      context.check(
          JCudaDriver.cuMemcpyDtoHAsync(
              DevicePointer.host(host.address() + offset),
              DevicePointer.at(device + offset),
              bytes,
              context.stream()),
          "cuMemcpyDtoHAsync");
    }
  }
}
