package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;

/**
 * Receives the new numbers of moved blocks. A component that keeps numbers of unpinned blocks
 * registers one, and replaces the numbers before it returns. Called under the pool's lock: it may
 * pin and unpin blocks by their new numbers, but must not call a pool otherwise, nor wait.
 */
@FunctionalInterface
public interface MoveListener {

  /**
   * Handles blocks that have moved, with their references. The old numbers are free once this
   * returns.
   *
   * @param moves old and new numbers, at least one; valid during the call only
   */
  void moved(BlockMoves moves);
}
