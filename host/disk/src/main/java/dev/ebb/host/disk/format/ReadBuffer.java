package dev.ebb.host.disk.format;

import java.nio.ByteBuffer;

/** The memory of one reading thread. It grows with the largest value. */
public final class ReadBuffer implements AutoCloseable {

  private static final int LEAST_BYTES = 1 << 20;

  private AlignedBuffer memory = new AlignedBuffer(LEAST_BYTES);

  // On the heap, where the cipher is faster.
  private byte[] encrypted = {};
  private byte[] decrypted = {};

  /** Creates a buffer. */
  public ReadBuffer() {}

  public ByteBuffer of(int bytes) {
    if (memory.size() < bytes) {
      int size = (int) Math.min(DiskFormat.MOST_REGION_BYTES, Math.max(bytes, 2L * memory.size()));
      memory.close();
      memory = new AlignedBuffer(size);
    }
    return memory.slice(0, bytes);
  }

  byte[] encrypted(int bytes) {
    encrypted = atLeast(encrypted, bytes);
    return encrypted;
  }

  byte[] decrypted(int bytes) {
    decrypted = atLeast(decrypted, bytes);
    return decrypted;
  }

  private static byte[] atLeast(byte[] present, int bytes) {
    return present.length >= bytes ? present : new byte[Math.max(bytes, 2 * present.length)];
  }

  @Override
  public void close() {
    memory.close();
  }
}
