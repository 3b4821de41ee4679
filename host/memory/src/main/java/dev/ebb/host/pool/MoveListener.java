package dev.ebb.host.pool;

/**
 * Hears that blocks have moved. Whoever keeps block numbers of blocks that it has not pinned
 * registers one, and replaces the numbers before it returns. Called under the pool's lock: it may
 * pin and unpin blocks by their new numbers, and must do nothing else with a pool, nor wait.
 */
@FunctionalInterface
public interface MoveListener {

  /**
   * Blocks have moved, with their references. The old numbers are free once this returns.
   *
   * @param moves from which number to which
   */
  void moved(BlockRelocation moves);
}
