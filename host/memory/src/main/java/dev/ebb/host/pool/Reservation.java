package dev.ebb.host.pool;

import java.util.Arrays;

/** Pinned blocks allocated ahead of their use and taken one after the other. Not thread-safe. */
public final class Reservation implements AutoCloseable {

  private final KvPool pool;
  private final int[] blocks;
  private int taken;

  Reservation(KvPool pool, int[] blocks) {
    this.pool = pool;
    this.blocks = blocks;
    for (int block : blocks) {
      pool.pin(block);
    }
  }

  /**
   * Takes the next block and its pin. The caller releases both.
   *
   * @return an allocated block with one pin
   * @throws IllegalStateException if all are taken
   */
  public int take() {
    if (taken == blocks.length) {
      throw new IllegalStateException(
          "all '%d' reserved blocks are taken; reserve more".formatted(blocks.length));
    }
    return blocks[taken++];
  }

  /** Returns how many blocks can still be taken. */
  public int left() {
    return blocks.length - taken;
  }

  /** Frees the blocks that were not taken. Closing twice does nothing. */
  @Override
  public void close() {
    int[] rest = Arrays.copyOfRange(blocks, taken, blocks.length);
    taken = blocks.length;
    synchronized (pool.lock) {
      for (int block : rest) {
        pool.unpin(block);
      }
      pool.free(rest);
    }
  }
}
