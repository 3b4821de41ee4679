package dev.ebb.host.disk.format;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory outside the heap that direct I/O can use. */
public final class AlignedBuffer implements AutoCloseable {

  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final ByteBuffer whole;

  /** Allocates a multiple of the alignment, filled with zeros. */
  public AlignedBuffer(int bytes) {
    memory = arena.allocate(bytes, DiskFormat.ALIGNMENT);
    whole = memory.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  public int size() {
    return (int) memory.byteSize();
  }

  public ByteBuffer whole() {
    return whole;
  }

  public ByteBuffer slice(int from, int bytes) {
    return whole.slice(from, bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  void zero(int from, int bytes) {
    memory.asSlice(from, bytes).fill((byte) 0);
  }

  @Override
  public void close() {
    arena.close();
  }
}
