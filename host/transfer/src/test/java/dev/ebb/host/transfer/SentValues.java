package dev.ebb.host.transfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Values in direct memory, sent in buffers of odd sizes like those of a pool's blocks. */
final class SentValues implements TransferSource.Finder {

  private static final int BLOCK = 65_521;

  /** A value. */
  record Sent(ValueHeader header, ByteBuffer bytes) {}

  private final Map<String, Sent> values = new ConcurrentHashMap<>();

  /** How many sources were opened and not closed. */
  final AtomicInteger open = new AtomicInteger();

  /** How many were opened because a client reads them. */
  final AtomicInteger reads = new AtomicInteger();

  /** Adds a value of random bytes. */
  Sent put(String key, long version, int length) {
    Sent sent =
        new Sent(
            new ValueHeader(version, 1_000 + version, length, new byte[] {1, 2, (byte) version}),
            random(version, length));
    values.put(key, sent);
    return sent;
  }

  void remove(String key) {
    values.remove(key);
  }

  static ByteBuffer random(long seed, int length) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length);
    SplittableRandom random = new SplittableRandom(seed);
    while (bytes.remaining() >= Long.BYTES) {
      bytes.putLong(random.nextLong());
    }
    while (bytes.hasRemaining()) {
      bytes.put((byte) random.nextInt());
    }
    return bytes.flip();
  }

  @Override
  public @Nullable TransferSource open(byte[] key, boolean read) {
    String name = new String(key, StandardCharsets.UTF_8);
    Sent sent = values.get(name);
    if (sent == null) {
      return null;
    }
    open.incrementAndGet();
    reads.addAndGet(read ? 1 : 0);
    return new TransferSource() {
      @Override
      public ValueHeader header() {
        return sent.header();
      }

      @Override
      public ByteBuffer piece(long offset, int most) {
        if (!values.containsKey(name)) {
          return ByteBuffer.allocate(0);
        }
        int block = BLOCK - (int) (offset % BLOCK);
        return sent.bytes().slice((int) offset, Math.min(most, block));
      }

      @Override
      public void close() {
        open.decrementAndGet();
      }
    };
  }
}
