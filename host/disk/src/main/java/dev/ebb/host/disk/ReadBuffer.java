package dev.ebb.host.disk;

import java.nio.ByteBuffer;

/** The memory of one reading thread. It grows with the largest value. */
public final class ReadBuffer implements AutoCloseable {

  private static final int LEAST_BYTES = 1 << 20;

  private AlignedBuffer memory = new AlignedBuffer(LEAST_BYTES);

  /** Creates a buffer. */
  public ReadBuffer() {}

  ByteBuffer of(int bytes) {
    if (memory.size() < bytes) {
      int size = (int) Math.min(DiskFormat.MOST_REGION_BYTES, Math.max(bytes, 2L * memory.size()));
      memory.close();
      memory = new AlignedBuffer(size);
    }
    return memory.slice(0, bytes);
  }

  @Override
  public void close() {
    memory.close();
  }
}
