package dev.ebb.host.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Host memory that the GPU reads and writes by itself. Reads and writes of a slab of the same
 * device that start and end within it go directly, without a copy by the processor.
 */
public final class PinnedBuffer implements AutoCloseable {

  private final DevicePointer pointer;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment segment;
  private final Consumer<PinnedBuffer> free;
  private boolean closed;

  @SuppressWarnings("restricted")
  PinnedBuffer(DevicePointer pointer, long bytes, Consumer<PinnedBuffer> free) {
    this.pointer = pointer;
    this.segment = MemorySegment.ofAddress(pointer.value()).reinterpret(bytes, arena, null);
    this.free = free;
  }

  /** Returns the whole memory, for all threads, until this or its device is closed. */
  public MemorySegment segment() {
    return segment;
  }

  DevicePointer pointer() {
    return pointer;
  }

  /** Frees the memory. Closing twice does nothing. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      arena.close();
      free.accept(this);
    }
  }
}
