package dev.ebb.host.pool;

import dev.ebb.host.device.BlockMoves;

/** Moves as passed to listeners. */
record Relocation(KvPool target, BlockMoves moves) implements BlockRelocation {

  @Override
  public int count() {
    return moves.count();
  }

  @Override
  public int from(int index) {
    return moves.from(index);
  }

  @Override
  public int to(int index) {
    return moves.to(index);
  }
}
