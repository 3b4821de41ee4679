package dev.ebb.host.kvevents;

import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.key.DiskKeyListener;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes events of the values on the disk. Those of a chunk on several ranks are one block: it is
 * stored with the first and removed with the last of them.
 */
final class DiskEvents implements DiskKeyListener {

  private final Consumer<KvEvent> events;
  private final BlockHash hashes = new BlockHash();
  private final Map<Long, Block> announced = new HashMap<>();
  private final Map<Long, Block> stored = new HashMap<>();

  /** How many values of each block on several ranks are on the disk. */
  private final Map<Block, Integer> ranks = new HashMap<>();

  /** What a value is in events. */
  private record Block(ChunkId chunk, int group, boolean ranked) {}

  DiskEvents(Consumer<KvEvent> events) {
    this.events = events;
  }

  @Override
  public synchronized void announced(long number, byte[] key) {
    int group = ChunkKeys.group(key);
    announced.put(
        number,
        new Block(
            hashes.chunk(key), group < 0 ? KvEvent.ONLY_GROUP : group, ChunkKeys.ranks(key) > 1));
  }

  /** Reports that a block of sequences is about to be written. */
  synchronized void announced(long number, ChunkId page) {
    announced.put(number, new Block(page, KvEvent.ONLY_GROUP, false));
  }

  @Override
  public synchronized void stored(long number) {
    Block block = announced.remove(number);
    if (block != null) {
      stored.put(number, block);
      if (!block.ranked || ranks.merge(block, 1, Integer::sum) == 1) {
        events.accept(new KvEvent.OnDisk(block.chunk, block.group));
      }
    }
  }

  @Override
  public synchronized void removed(long number) {
    Block block = stored.remove(number);
    if (block == null) {
      announced.remove(number);
    } else if (!block.ranked || isLast(block)) {
      events.accept(new KvEvent.OffDisk(block.chunk, block.group));
    }
  }

  private boolean isLast(Block block) {
    @Nullable Integer left = ranks.computeIfPresent(block, (_, n) -> n == 1 ? null : n - 1);
    return left == null;
  }
}
