package dev.ebb.host.engine.pool;

import dev.ebb.host.pool.BlockMap;
import java.util.List;

/** The use of each block of a pool, at one moment. */
public final class PoolMap extends BlockMap<BlockUse> {

  public PoolMap(int blocks) {
    super(List.of(BlockUse.values()), BlockUse.FREE, blocks);
  }
}
