package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;

/**
 * Old and new numbers of blocks that moved. Valid only during the call that passes it.
 *
 * @param target the pool of the new numbers: the same after a compaction, another after a migration
 * @param moves at least one
 */
public record BlockRelocation(KvPool target, BlockMoves moves) {

  /** Returns how many blocks moved. */
  public int count() {
    return moves.count();
  }

  /** Returns the old number of a block; 0 to {@code count() - 1}. */
  public int from(int index) {
    return moves.from(index);
  }

  /** Returns the new number of a block; 0 to {@code count() - 1}. */
  public int to(int index) {
    return moves.to(index);
  }
}
