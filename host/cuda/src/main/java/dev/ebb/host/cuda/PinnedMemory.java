package dev.ebb.host.cuda;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import jcuda.driver.JCudaDriver;

/** Allocates pinned host memory and knows which memory is pinned. */
final class PinnedMemory implements AutoCloseable {

  private final CudaContext context;
  private final ConcurrentSkipListMap<Long, PinnedBuffer> buffers = new ConcurrentSkipListMap<>();

  PinnedMemory(CudaContext context) {
    this.context = context;
  }

  PinnedBuffer allocate(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("bytes '%d' must be at least 1".formatted(bytes));
    }
    DevicePointer pointer = new DevicePointer();
    context.run(() ->
        context.check(
            JCudaDriver.cuMemHostAlloc(pointer, bytes, JCudaDriver.CU_MEMHOSTALLOC_PORTABLE),
            "cuMemHostAlloc"));
    PinnedBuffer buffer = new PinnedBuffer(pointer, bytes, this::free);
    buffers.put(pointer.value(), buffer);
    return buffer;
  }

  /** Returns whether the GPU can copy to and from all of a segment. */
  boolean covers(MemorySegment segment) {
    if (!segment.isNative()) {
      return false;
    }
    Map.Entry<Long, PinnedBuffer> nearest = buffers.floorEntry(segment.address());
    return nearest != null
        && segment.address() + segment.byteSize()
            <= nearest.getKey() + nearest.getValue().segment().byteSize();
  }

  private void free(PinnedBuffer buffer) {
    buffers.remove(buffer.pointer().value());
    context.release(() -> JCudaDriver.cuMemFreeHost(buffer.pointer()), "cuMemFreeHost");
  }

  @Override
  public void close() {
    List.copyOf(buffers.values()).forEach(PinnedBuffer::close);
  }
}
