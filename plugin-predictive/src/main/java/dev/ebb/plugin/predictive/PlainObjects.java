package dev.ebb.plugin.predictive;

import dev.ebb.spi.GhostList;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that were used without a request, or as its only one: nothing shows what is before or
 * behind them. The model has little to learn from then, and may order them worse than the time of
 * their last use does. So some of them, chosen by their fingerprints, are also kept in two
 * simulated caches, one for each order, and the order with fewer misses there is used.
 *
 * <p>How many of them are evicted is decided by the model in either case: if it chooses one, one of
 * them is evicted.
 */
final class PlainObjects {

  /** How many blocks each simulated cache has, at most; a quarter of that if there are enough. */
  private static final int SIMULATED = 512;

  /** By how much the model must be better to be used. */
  private static final double MARGIN = 1.01;

  /** After how many misses in both caches the earlier ones weigh half. */
  private static final int MEMORY = 1 << 13;

  /** How many requests count as recent, and how many of them are nearly all. */
  private static final double RECENT = 256;

  private static final double NEARLY_ALL = 0.9;

  private final UseOrder byUse = new UseOrder();
  private GhostList lru = new GhostList(GhostList.MAX_CAPACITY);
  private final SimulatedCache modelled;
  private long size;

  /** Selects what is simulated: one of two to the power of the number of its bits. */
  private long mask;

  private boolean evicting;
  private double singles;
  private double lruMisses;
  private double modelMisses;

  PlainObjects(IndexCache indices, int samples) {
    modelled = new SimulatedCache(indices, samples);
  }

  /** Writes which order had fewer misses. */
  void write(DataOutputStream out) throws IOException {
    out.writeDouble(singles);
    out.writeDouble(lruMisses);
    out.writeDouble(modelMisses);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IOException if it is not that
   */
  void read(DataInputStream in) throws IOException {
    singles = Weights.read(in);
    lruMisses = Weights.read(in);
    modelMisses = Weights.read(in);
  }

  /** Returns how many there are. */
  long size() {
    return size;
  }

  /** Returns whether they are to be evicted in the order of their last use. */
  boolean byLastUse() {
    return lruMisses <= MARGIN * modelMisses;
  }

  /**
   * Returns whether a request is the use of a single block, which a short prompt is not: nearly all
   * other requests are such too.
   */
  boolean isSingle(int blocks) {
    singles += ((blocks == 1 ? 1 : 0) - singles) / RECENT;
    return blocks == 1 && singles > NEARLY_ALL;
  }

  /** Records the use of a block alone, which has its class. */
  void used(CachedBlock block, int blockClass, long now) {
    if (!block.plain) {
      block.plain = true;
      size++;
    }
    touch(block);
    long fingerprint = block.entry.fingerprint();
    if (evicting && isSimulated(fingerprint)) {
      simulate(fingerprint, blockClass, now);
    }
  }

  /** Records that a request uses a block, which may still be alone. */
  void touch(CachedBlock block) {
    if (block.plain && !block.setAside) {
      byUse.use(block);
    }
  }

  /** Records that a block was refused, and is not to be chosen. */
  void refused(CachedBlock block) {
    if (block.turn != UseOrder.ABSENT) {
      byUse.remove(block);
    }
  }

  /** Records that a block may be chosen again. */
  void released(CachedBlock block) {
    if (block.plain && block.turn == UseOrder.ABSENT) {
      byUse.addCold(block);
    }
  }

  /** Forgets a block that is gone, or was used with others. */
  void remove(CachedBlock block, boolean evicted) {
    evicting |= evicted;
    refused(block);
    if (!block.plain) {
      return;
    }
    block.plain = false;
    size--;
    long fingerprint = block.entry.fingerprint();
    if (isSimulated(fingerprint)) {
      if (!evicted) {
        lru.remove(fingerprint);
        modelled.remove(fingerprint);
      }
    }
  }

  /**
   * Returns the evictable one that was used longest ago, and that no waiting request needs unless
   * all are needed; null if there is none.
   */
  @Nullable CachedBlock coldest(WaitingBlocks waiting) {
    CachedBlock block = byUse.cold();
    for (int i = Math.min(waiting.size(), byUse.size());
        i > 0 && block != null && waiting.needs(block);
        i--) {
      // It is about to be used.
      byUse.use(block);
      block = byUse.cold();
    }
    return block == null || block.place == Leaves.ABSENT || block.cohort == Cohorts.NONE
        ? null
        : block;
  }

  private boolean isSimulated(long fingerprint) {
    return ((fingerprint * 0x9E3779B97F4A7C15L) >>> 20 & mask) == 0;
  }

  /** Uses a block in both caches, whose size is in proportion to what is resident. */
  private void simulate(long fingerprint, int blockClass, long now) {
    long room = room();
    if (!lru.contains(fingerprint)) {
      lruMisses++;
      while (lru.size() >= room) {
        lru.removeOldest();
      }
    }
    lru.add(fingerprint);
    if (!modelled.use(fingerprint, blockClass, room, now)) {
      modelMisses++;
    }
    if (lruMisses + modelMisses > MEMORY) {
      lruMisses /= 2;
      modelMisses /= 2;
    }
  }

  /** Returns the size of each cache, after changing how many blocks are simulated if needed. */
  private long room() {
    long before = mask;
    while (size / (mask + 1) > SIMULATED) {
      mask = 2 * mask + 1;
    }
    while (mask > 0 && size / (mask + 1) < SIMULATED / 4) {
      mask /= 2;
    }
    if (mask != before) {
      lru = new GhostList(GhostList.MAX_CAPACITY);
      modelled.clear();
    }
    return Math.max(1, size / (mask + 1));
  }
}
