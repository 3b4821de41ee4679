package dev.ebb.host.replay.tiers;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.admission.AdmissionRule;
import dev.ebb.host.admission.EvictedUse;
import dev.ebb.host.admission.WriteAdmission;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.replay.tiers.RegionLog.TieredBlock;
import dev.ebb.spi.Demand;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A simulated disk behind a simulated memory.
 *
 * <p>A directory holds the blocks of both tiers, and is a cache itself. Its policy is that of the
 * disk, and receives all requests. What is in memory is pinned in it, so the policy chooses among
 * the blocks that are only on the disk. A block that memory evicts is written, or leaves the
 * directory; so does a block that memory does not admit. Blocks on the disk stay there while they
 * are in memory too, so that a second eviction writes nothing.
 *
 * <p>The directory is a tree whose leaves go first, so a block never stays without those before it.
 * For the same reason a block is always written if blocks behind it are on the disk.
 */
public final class DiskTier implements AutoCloseable {

  /** The tiers bound what is in them; the directory also holds the blocks of the request. */
  private static final long UNBOUNDED = Long.MAX_VALUE / 2;

  private final long memoryBlocks;
  private final long diskBlocks;
  private final String rule;
  private final WriteAdmission admission;
  private final PolicyClock clock;
  private final InlineBlockCache directory;
  private final @Nullable RegionLog regions;
  private final List<TieredBlock> bySlot = new ArrayList<>();
  private final List<Long> demoted = new ArrayList<>();
  private final CacheRequest request = new CacheRequest();

  /** The first block of the request that is new and which memory has not admitted. */
  private int leftOutFrom;

  private long onDisk;
  private long memoryHits;
  private long diskHits;
  private long demotions;
  private long written;
  private long evicted;
  private long firstNanos = -1;
  private long lastNanos;

  /**
   * Creates an empty disk.
   *
   * @param memory the cache in front of it, empty
   * @param diskBlocks its capacity, 0 or more
   * @param regionBlocks capacity of a region, if blocks are evicted by region; 0 if one by one
   * @param rule decides what is written
   */
  public DiskTier(
      BlockCache memory,
      long diskBlocks,
      int regionBlocks,
      PolicyCandidate policy,
      AdmissionRule rule,
      PolicyClock clock) {
    memoryBlocks = memory.capacityBlocks();
    this.diskBlocks = diskBlocks;
    this.rule = rule.text();
    this.clock = clock;
    admission = rule.create().apply(clock::nanos);
    directory = new InlineBlockCache(UNBOUNDED, clock, new GhostWindow(1), OnFault.FAIL);
    directory.install(policy);
    regions =
        regionBlocks == 0
            ? null
            : new RegionLog(diskBlocks, regionBlocks, directory, this::block, this::drop);
    directory.onRemoval((entry, cause) -> removed(entry));
    memory.onRemoval((entry, cause) -> demoted.add(entry.fingerprint()));
  }

  /** Evicts higher-priority entries for a request only if nothing else is evictable. */
  public void respectPriority() {
    directory.respectPriority();
  }

  /**
   * Starts a request.
   *
   * @param inMemory the same request, begun in memory
   * @param waiting the requests behind it
   * @return how many of its leading blocks are in memory or on the disk
   */
  public int begin(CacheRequest inMemory, List<? extends Request> waiting) {
    request.reset(inMemory.facts(), inMemory.inputTokens());
    request.waiting(waiting);
    for (int i = 0; i < inMemory.blocks(); i++) {
      request.add(inMemory.fingerprint(i));
      admission.requested(inMemory.fingerprint(i));
    }
    int usable = directory.begin(request);
    memoryHits += inMemory.matched();
    diskHits += usable - inMemory.matched();
    lastNanos = clock.nanos();
    firstNanos = firstNanos < 0 ? lastNanos : firstNanos;
    return usable;
  }

  /**
   * Writes what memory has evicted for the request, or drops it, and promotes its blocks.
   *
   * @param inMemory the same request, admitted to memory
   */
  public void admitted(CacheRequest inMemory) {
    demoted.forEach(this::demote);
    demoted.clear();
    directory.admit(request);
    for (int i = request.matched(); i < request.blocks(); i++) {
      block(request.entry(i)).reset();
      directory.pin(request.entry(i));
    }
    for (int i = inMemory.matched(); i < inMemory.held(); i++) {
      block(request.entry(i)).inMemory = true;
      if (i < request.matched()) {
        directory.pin(request.entry(i));
      }
    }
    leftOutFrom = Math.max(inMemory.held(), request.matched());
  }

  private void demote(long key) {
    CacheEntry entry = requireNonNull(directory.find(key));
    TieredBlock block = block(entry);
    block.inMemory = false;
    if (block.onDisk) {
      directory.unpin(entry);
      return;
    }
    demotions++;
    boolean admitted = admission.admits(use(entry, block)) || entry.children > 0;
    if (admitted && hasRoom()) {
      block.onDisk = true;
      onDisk++;
      if (regions != null) {
        regions.append(entry);
      }
      written++;
      admission.written(1);
      directory.unpin(entry);
    } else {
      directory.unpin(entry);
      directory.remove(entry, RemovalCause.NOT_ADMITTED);
    }
  }

  private static EvictedUse use(CacheEntry entry, TieredBlock block) {
    return new EvictedUse(
        entry.fingerprint(),
        block.uses,
        entry.depth(),
        entry.childrenSeen(),
        block.outputTokens,
        entry.lastAccessNanos());
  }

  private boolean hasRoom() {
    if (regions == null) {
      return onDisk < diskBlocks || evict(1) > 0;
    }
    // If all blocks have to stay because of blocks behind them, these are evicted first.
    return regions.makeRoom() || (evict(regions.regionBlocks()) > 0 && regions.makeRoom());
  }

  private long evict(long blocks) {
    return directory.evict(blocks, Demand.Reason.ALLOCATION, request.facts());
  }

  /** Removes a block from the disk; returns false if a block behind it stays or it is in use. */
  private boolean drop(CacheEntry entry) {
    TieredBlock block = block(entry);
    if (!block.inMemory) {
      return directory.remove(entry, RemovalCause.EVICTED);
    }
    leave(block);
    return true;
  }

  private void leave(TieredBlock block) {
    block.onDisk = false;
    block.region = null;
    onDisk--;
    evicted++;
  }

  private void removed(CacheEntry entry) {
    TieredBlock block = block(entry);
    if (block.onDisk) {
      leave(block);
    }
  }

  private TieredBlock block(CacheEntry entry) {
    while (bySlot.size() <= entry.slot()) {
      bySlot.add(new TieredBlock());
    }
    return bySlot.get(entry.slot());
  }

  /**
   * Ends the request.
   *
   * @param known its attributes at the end
   * @param outputTokens length of its answer; -1 if unknown
   */
  public void finish(RequestFacts known, long outputTokens) {
    for (int i = 0; i < request.blocks(); i++) {
      TieredBlock block = block(request.entry(i));
      block.uses++;
      block.outputTokens = outputTokens;
    }
    directory.ended(request, known);
    request.answered(outputTokens);
    directory.finish(request);
    for (int i = request.blocks() - 1; i >= leftOutFrom; i--) {
      demote(request.fingerprint(i));
    }
  }

  public long capacityBlocks() {
    return diskBlocks;
  }

  /** Returns what is wrong with the policy's count of its entries; null if it is right. */
  public @Nullable String checkedSize() {
    long size = directory.policySize();
    int entries = directory.residentEntries();
    return size == entries
        ? null
        : "policy '%s' of the disk failed: size() is %d at the end, and %d entries are resident"
            .formatted(directory.policyName(), size, entries);
  }

  /**
   * Returns what was done so far.
   *
   * @param memoryPolicy the name of the memory's policy
   */
  public TierUse use(String memoryPolicy) {
    return new TierUse(
        memoryPolicy,
        directory.policyName(),
        rule,
        memoryBlocks,
        diskBlocks,
        memoryHits,
        diskHits,
        demotions,
        written,
        regions == null ? 0 : regions.regionBlocks(),
        regions == null ? 0 : regions.rewritten(),
        evicted,
        lastNanos - Math.max(0, firstNanos));
  }

  /** Returns whether a block is on the disk. */
  boolean holds(long key) {
    CacheEntry entry = directory.find(key);
    return entry != null && block(entry).onDisk;
  }

  @Override
  public void close() {
    directory.close();
  }
}
