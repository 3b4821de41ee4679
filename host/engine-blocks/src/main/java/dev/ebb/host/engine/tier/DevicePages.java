package dev.ebb.host.engine.tier;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.pool.BlockOwner;
import dev.ebb.host.pool.KvPool;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cached pages of one device. Blocks of an evicted page are held until its bytes are copied, at
 * most a small part of the pool. Under the engine's lock.
 */
public final class DevicePages implements RemovalListener {

  private static final BlockOwner OWNER = new BlockOwner("tier");

  /** The share of the pool that pages on their way may use. */
  private static final double SHARE = 0.05;

  /** The same for a small pool, up to a quarter of it. */
  private static final long LEAST_HELD_BYTES = 8 << 20;

  final PageBytes bytes;
  private final @Nullable DiskPages disk;
  private final @Nullable RemotePages remote;
  private final KvPool pool;
  private final BlockCache cache;

  /** The blocks of cached entries, by slot and lane group. */
  private final IntBinaryOperator blocks;

  private final int mostHeld;
  private int held;

  /**
   * Adds a device to tiers. Its cache reports its evictions from now on.
   *
   * @param disk null for none
   * @param remote null for none
   */
  public DevicePages(
      @Nullable DiskPages disk,
      @Nullable RemotePages remote,
      KvPool pool,
      BlockCache cache,
      IntBinaryOperator blocks,
      PageBytes bytes) {
    this.disk = disk;
    this.remote = remote;
    this.pool = pool;
    this.cache = cache;
    this.blocks = blocks;
    this.bytes = bytes;
    long least = LEAST_HELD_BYTES / pool.layout().blockBytes();
    mostHeld = (int) Math.max((long) (pool.blocks() * SHARE), Math.min(least, pool.blocks() / 4));
    if (disk != null) {
      disk.add(this);
    }
    cache.onRemoval(this);
  }

  @Override
  public void removed(CacheEntry entry, RemovalCause cause) {
    if (cause == RemovalCause.EVICTED && disk != null) {
      disk.evicted(this, entry);
    }
  }

  /** Returns whether pages are shared with other engines. */
  public boolean shares() {
    return remote != null;
  }

  /** Shares pages that a sequence has computed. */
  public void published(List<CacheEntry> pages, String model) {
    RemotePages to = remote;
    if (to != null) {
      pages.forEach(page -> to.published(this, page, model));
    }
  }

  /** Reports how long a sequence took from its opening for its first pages. */
  public void computed(int pages, long nanos) {
    if (remote != null) {
      remote.computed(pages, nanos);
    }
  }

  /** Returns how many blocks are held; those of pages that wait are free after {@link #drop}. */
  public int held() {
    return held;
  }

  long heldBytes() {
    return (long) held * pool.layout().blockBytes();
  }

  /** Drops the pages that wait to be written. Waits for the one that is being copied. */
  public boolean drop() {
    boolean dropped = disk != null && disk.drop(this);
    return (remote != null && remote.drop(this)) || dropped;
  }

  boolean hasRoom() {
    return held == 0 || held + pool.layout().laneGroups() <= mostHeld;
  }

  int[] blocks(CacheEntry entry) {
    return IntStream.range(0, pool.layout().laneGroups())
        .map(group -> blocks.applyAsInt(entry.slot(), group))
        .toArray();
  }

  void hold(int[] page) {
    held += page.length;
    for (int block : page) {
      pool.share(block);
      pool.pin(block);
      pool.assign(block, OWNER);
    }
  }

  void release(int[] page) {
    held -= page.length;
    pool.atomically(() -> {
      for (int block : page) {
        pool.unpin(block);
        pool.free(block);
      }
      return true;
    });
  }

  Stream<CacheEntry> cached() {
    return IntStream.range(0, pool.blocks())
        .mapToObj(cache::at)
        .flatMap(entry -> Stream.ofNullable(entry));
  }
}
