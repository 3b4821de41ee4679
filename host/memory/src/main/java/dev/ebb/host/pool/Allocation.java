package dev.ebb.host.pool;

/** Blocks that were allocated, and what it took. */
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
   * The blocks, each with one reference.
   *
   * @return numbers in the pool; rising by one if a run was asked for
   */
  public int[] blocks() {
    return blocks.clone();
  }

  /**
   * Their size.
   *
   * @return bytes
   */
  public long bytes() {
    return bytes;
  }

  /**
   * How long it took, waiting for other threads included.
   *
   * @return nanoseconds
   */
  public long nanos() {
    return nanos;
  }

  /**
   * The pool's fragmentation afterwards.
   *
   * @return the share of free blocks that lie in short runs, 0 to 1
   */
  public double fragmentation() {
    return fragmentation;
  }
}
