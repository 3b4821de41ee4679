package dev.ebb.host.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.device.Device;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Small pools, and patterns that distinguish the bytes of blocks. */
public final class Pools {

  /** A block of 64 bytes. */
  static final KvLayout LAYOUT = new KvLayout(1, 1, 8, 2, DType.FP16);

  private Pools() {}

  /**
   * An empty pool of blocks of 64 bytes.
   *
   * @param device where
   * @param blocks how many
   * @return the pool
   */
  public static KvPool of(Device device, int blocks) {
    return KvPool.open(LAYOUT, device, (long) blocks * LAYOUT.blockBytes());
  }

  /**
   * Writes a pattern all over a block.
   *
   * @param pool whose
   * @param block an allocated block
   * @param pattern distinguishes it from others
   */
  public static void fill(KvPool pool, int block, long pattern) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(pool.layout().blockBytes(), 8);
      for (long at = 0; at < bytes.byteSize(); at += 8) {
        bytes.set(ValueLayout.JAVA_LONG, at, pattern * 31 + at);
      }
      pool.memory().write(block, 0, bytes);
    }
  }

  /**
   * Requires a pattern all over a block.
   *
   * @param pool whose
   * @param block an allocated block
   * @param pattern what was written
   */
  public static void verify(KvPool pool, int block, long pattern) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(pool.layout().blockBytes(), 8);
      pool.memory().read(block, 0, bytes);
      for (long at = 0; at < bytes.byteSize(); at += 8) {
        if (bytes.get(ValueLayout.JAVA_LONG, at) != pattern * 31 + at) {
          assertThat(bytes.get(ValueLayout.JAVA_LONG, at))
              .as("block %d of %s at byte %d", block, pool.device().name(), at)
              .isEqualTo(pattern * 31 + at);
        }
      }
    }
  }
}
