package dev.ebb.host.engine;

import java.util.Arrays;

/** What each block of a pool is used for, at one moment. */
public final class PoolMap {

  private final BlockUse[] uses;

  PoolMap(int blocks) {
    uses = new BlockUse[blocks];
    Arrays.fill(uses, BlockUse.FREE);
  }

  void set(int block, BlockUse use) {
    uses[block] = use;
  }

  /**
   * How many blocks there are.
   *
   * @return free or not
   */
  public int blocks() {
    return uses.length;
  }

  /**
   * What a block is used for.
   *
   * @param block its number
   * @return the use
   */
  public BlockUse use(int block) {
    return uses[block];
  }

  /**
   * How many blocks have a use.
   *
   * @param use the use
   * @return blocks
   */
  public int count(BlockUse use) {
    int count = 0;
    for (BlockUse each : uses) {
      count += each == use ? 1 : 0;
    }
    return count;
  }
}
