package dev.ebb.host.engine.tier;

import dev.ebb.host.pool.KvPool;
import java.lang.foreign.MemorySegment;

/**
 * The pages of a pool: the blocks of all lane groups, one after the other.
 *
 * @param size the bytes of a page
 */
public record PoolPages(KvPool pool, int size) implements PageBytes {

  public PoolPages(KvPool pool) {
    this(pool, pool.layout().blockBytes() * pool.layout().laneGroups());
  }

  @Override
  public String format() {
    return pool.layout().toString();
  }

  @Override
  public boolean read(int page, int[] blocks, MemorySegment target) {
    long bytes = pool.layout().blockBytes();
    for (int i = 0; i < blocks.length; i++) {
      pool.memory().slab().read(blocks[i] * bytes, target.asSlice(i * bytes, bytes));
    }
    return true;
  }

  @Override
  public boolean write(int page, int[] blocks, MemorySegment source) {
    long bytes = pool.layout().blockBytes();
    for (int i = 0; i < blocks.length; i++) {
      pool.memory().slab().write(blocks[i] * bytes, source.asSlice(i * bytes, bytes));
    }
    return true;
  }
}
