package dev.ebb.host.pool;

/** The result of an allocation: the blocks and its cost. */
public final class Allocation {

  private final int[] blocks;
  private final long bytes;
  private final long nanos;
  private final double fragmentation;

  Allocation(int[] blocks, long bytes, long nanos, double fragmentation) {
    this.blocks = blocks;
    this.bytes = bytes;
    this.nanos = nanos;
    this.fragmentation = fragmentation;
  }

  /**
   * Returns the blocks, each with one reference.
   *
   * @return numbers in the pool; rising by one if a run was asked for
   */
  public int[] blocks() {
    return blocks.clone();
  }

  /** Returns the size of the blocks. */
  public long bytes() {
    return bytes;
  }

  /** Returns the duration in nanoseconds, including the wait for other threads. */
  public long nanos() {
    return nanos;
  }

  /**
   * Returns the pool's fragmentation afterwards.
   *
   * @return the share of free blocks that lie in short runs, 0 to 1
   */
  public double fragmentation() {
    return fragmentation;
  }
}
