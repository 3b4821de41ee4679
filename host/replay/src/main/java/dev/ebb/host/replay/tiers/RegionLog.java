package dev.ebb.host.replay.tiers;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The disk as a log of regions. If all are full, the oldest one is freed: blocks that were used
 * since they were written are written again, up to half a region, and the others leave the disk.
 */
final class RegionLog {

  private final int regionBlocks;
  private final long regions;
  private final BlockCache directory;
  private final Function<CacheEntry, TieredBlock> blocks;
  private final Predicate<CacheEntry> drop;
  private final Deque<Region> full = new ArrayDeque<>();
  private Region open = new Region();
  private long rewritten;

  /**
   * Creates an empty log.
   *
   * @param diskBlocks capacity of the disk
   * @param regionBlocks capacity of a region, at most that of the disk
   * @param blocks returns what is known of an entry
   * @param drop removes a block from the disk; false if it has to stay
   */
  RegionLog(
      long diskBlocks,
      int regionBlocks,
      BlockCache directory,
      Function<CacheEntry, TieredBlock> blocks,
      Predicate<CacheEntry> drop) {
    this.regionBlocks = regionBlocks;
    this.regions = diskBlocks / regionBlocks;
    this.directory = directory;
    this.blocks = blocks;
    this.drop = drop;
  }

  int regionBlocks() {
    return regionBlocks;
  }

  /** Returns how many blocks were written again because their region was freed. */
  long rewritten() {
    return rewritten;
  }

  /** Makes room for a block. Returns false if all blocks of all regions have to stay. */
  boolean makeRoom() {
    for (long i = 0; i <= regions && isFull(); i++) {
      full.addLast(open);
      open = new Region();
      if (full.size() == regions) {
        free(full.removeFirst());
      }
    }
    return !isFull();
  }

  private boolean isFull() {
    return open.keys.size() == regionBlocks;
  }

  private void free(Region region) {
    List<CacheEntry> kept = new ArrayList<>();
    List<CacheEntry> live =
        region.keys.stream()
            .map(directory::find)
            .filter(entry -> entry != null && blocks.apply(entry).region == region)
            .sorted(Comparator.comparingInt(CacheEntry::depth).reversed())
            .toList();
    for (CacheEntry entry : live) {
      boolean used = blocks.apply(entry).usedSinceWritten() && kept.size() < regionBlocks / 2;
      if (used || !drop.test(entry)) {
        kept.add(entry);
      }
    }
    // In the order of chains, as they were.
    kept.reversed().forEach(this::append);
    rewritten += kept.size();
  }

  /** Writes a block, for which there must be room. */
  void append(CacheEntry entry) {
    open.keys.add(entry.fingerprint());
    blocks.apply(entry).written(open);
  }

  /** A part of the disk that is written from its start to its end, and freed as a whole. */
  static final class Region {

    /** The keys written to it, first one first; some may have left it since. */
    final List<Long> keys = new ArrayList<>();
  }

  /** What the tiers know of a block, beside its entry in the directory. */
  static final class TieredBlock {

    /** The requests that used it since it is in a tier. */
    int uses;

    /** The length of the last answer; -1 if unknown. */
    long outputTokens;

    boolean inMemory;
    boolean onDisk;

    /** Where it is on the disk, if that has regions. */
    RegionLog.@Nullable Region region;

    private int usesWhenWritten;

    /** Makes it a block that is in no tier. */
    void reset() {
      uses = 0;
      inMemory = false;
      onDisk = false;
      region = null;
    }

    /** Records that it is written to a region. */
    void written(RegionLog.Region to) {
      region = to;
      usesWhenWritten = uses;
    }

    boolean usedSinceWritten() {
      return uses > usesWhenWritten;
    }
  }
}
