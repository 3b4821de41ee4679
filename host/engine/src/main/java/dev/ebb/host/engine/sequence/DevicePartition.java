package dev.ebb.host.engine.sequence;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.engine.pool.BlockPins;
import dev.ebb.host.engine.pool.CachedPages;
import dev.ebb.host.engine.pool.LaneWindows;
import dev.ebb.host.engine.request.KeyChain;
import dev.ebb.host.engine.state.SavedStates;
import dev.ebb.host.engine.tier.DevicePages;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine's part on one device: a pool, the prefix cache on it with a policy of its own, and
 * counters. Each device evicts by itself, because only an eviction from it makes room on it.
 */
public final class DevicePartition {

  private static final Logger LOG = LoggerFactory.getLogger(DevicePartition.class);

  private final Engine engine;
  public final KvPool pool;
  public final BlockCache cache;
  public final AccessListeners listeners = new AccessListeners();
  public final CachedPages cached;
  public final SequenceTraffic traffic = new SequenceTraffic();
  final BlockReclaimer reclaimer;
  public final Movement movement;
  public final BlockPins pins;

  /** The pages before the next token that the lane groups attend to. */
  public LaneWindows windows;

  /** The groups of a page's blocks; null if all of them are evicted together. */
  @Nullable SizedGroups groups;

  /** The recurrent states of the model; null if it has none. */
  @Nullable SavedStates states;

  /** Its pages on their way to the disk; null without a disk tier. */
  public @Nullable DevicePages pages;

  /** Whether the threshold is the user's, and not only that of tiers. */
  private boolean thresholdSet = true;

  private double threshold;
  private double target;
  private @Nullable PolicyFault loggedFault;

  /**
   * Creates a partition over an empty pool and an empty cache of the pool's capacity.
   *
   * @param threshold the share of the pool above which background eviction starts, 0 to 1
   */
  DevicePartition(Engine engine, KvPool pool, BlockCache cache, double threshold, double target) {
    this.engine = engine;
    this.pool = pool;
    this.cache = cache;
    limits(threshold, target);
    windows = LaneWindows.none(pool.layout().laneGroups());
    cached = new CachedPages(pool, engine.pageListener);
    cache.watch(cached);
    reclaimer = new BlockReclaimer(engine, this);
    movement = new Movement(engine, this);
    pins = new BlockPins(cache, 1);
  }

  /** Keeps recurrent states, before the first sequence is opened. */
  public void keepStates(long bytes) {
    states = new SavedStates(pool, cache, bytes);
  }

  /** Evicts blocks outside windows alone, before the first sequence is opened. */
  public void keepWindows(LaneWindows kept) {
    windows = kept;
    groups = kept.sized();
    cache.onRemoval(cached);
  }

  /** Evicts ahead of demand only while tiers copy evicted pages, or when the limits change. */
  public void evictOnDemand() {
    thresholdSet = false;
  }

  /** Changes when background eviction starts and stops. */
  public final void limits(double start, double stop) {
    thresholdSet |= start != threshold || stop != target;
    threshold = start;
    target = stop;
  }

  public String name() {
    return pool.device().name();
  }

  /** Returns how many tokens of a sequence blocks have room for. */
  long tokens(long blocks) {
    return blocks / layout().laneGroups() * layout().blockTokens();
  }

  public KvLayout layout() {
    return pool.layout();
  }

  long evictableBlocks() {
    return cache.evictableBlocks() * windows.unit();
  }

  long evictedBlocks() {
    return cache.evictions() * windows.unit();
  }

  long openSequences() {
    return engine.sequences.stream().filter(sequence -> sequence.home.partition == this).count();
  }

  /** Returns the number of cached entries that open sequences use. */
  long reusedEntries() {
    return engine.sequenceBlocks(this).flatMap(SequenceBlocks::cachedEntries).distinct().count();
  }

  /** Returns the number of blocks that are free, evictable, or on their way to the disk. */
  long obtainableBlocks() {
    return pool.freeBlocks() + evictableBlocks() + leavingBlocks();
  }

  /** Returns the number of blocks in use, without evicted ones on their way to the disk. */
  public long usedBlocks() {
    return (long) pool.blocks() - pool.freeBlocks() - leavingBlocks();
  }

  /** Returns whether only requests that need memory evict, whatever the threshold. */
  public boolean evictsOnDemand() {
    return !thresholdSet && pages == null;
  }

  private int leavingBlocks() {
    return pages == null ? 0 : pages.held();
  }

  /** Frees blocks that are on their way to the disk; returns whether any is free now. */
  boolean dropLeaving() {
    return pages != null && pages.drop();
  }

  /** Returns whether the pool would be too full even without its evictable blocks. */
  boolean pressed() {
    return obtainableBlocks() < (1 - threshold) * pool.blocks();
  }

  /** Returns how many pages of a chain are cached here, from its front. */
  public int cachedPages(KeyChain chain) {
    // All ancestors of a resident block are resident too, so there is one boundary to search
    // for.
    int resident = 0;
    int missing = chain.blocks() + 1;
    while (resident + 1 < missing) {
      int pages = (resident + missing) >>> 1;
      if (cache.find(chain.low(pages - 1), chain.high(pages - 1)) == null) {
        missing = pages;
      } else {
        resident = pages;
      }
    }
    return resident;
  }

  /**
   * Returns how many pages of a chain a prompt can use: those before the last state of a recurrent
   * model, without the last token, whose output is needed; or those after which all windows are
   * there.
   */
  int usablePages(KeyChain chain, int promptTokens) {
    int pages = cachedPages(chain);
    SavedStates saved = states;
    if (saved == null) {
      return groups == null ? pages : cache.usable(path(chain, pages));
    }
    pages = Math.min(pages, (promptTokens - 1) / layout().blockTokens());
    while (pages > 0 && !hasState(saved, chain, pages - 1)) {
      pages--;
    }
    return pages;
  }

  private List<CacheEntry> path(KeyChain chain, int pages) {
    List<CacheEntry> path = new ArrayList<>();
    for (int page = 0; page < pages; page++) {
      path.add(requireNonNull(cache.find(chain.low(page), chain.high(page))));
    }
    return path;
  }

  private boolean hasState(SavedStates saved, KeyChain chain, int page) {
    CacheEntry entry = cache.find(chain.low(page), chain.high(page));
    return entry != null && saved.has(entry);
  }

  /** Drops the last pages of a chain that are unused and have no cached successor. */
  void forget(KeyChain chain, int pages) {
    boolean going = true;
    for (int page = pages - 1; page >= 0 && going; page--) {
      var entry = cache.find(chain.low(page), chain.high(page));
      going = entry != null && cache.remove(entry, RemovalCause.MIGRATED);
    }
  }

  /** Removes all cached entries that no sequence uses. */
  void dropCached() {
    deepestFirst(entry -> true).forEach(entry -> cache.remove(entry, RemovalCause.DELETED));
  }

  /** Returns cached entries, those behind others first: only leaves can be removed. */
  public List<CacheEntry> deepestFirst(Predicate<CacheEntry> chosen) {
    return IntStream.range(0, pool.blocks())
        .mapToObj(cache::at)
        .filter(entry -> entry != null && chosen.test(entry))
        .sorted(Comparator.comparingInt(CacheEntry::depth).reversed())
        .toList();
  }

  /** Removes entries that were not used for so long. */
  public void expire(long now, long nanos) {
    deepestFirst(entry -> !entry.pinned() && now - entry.lastAccessNanos() >= nanos)
        .forEach(entry -> cache.remove(entry, RemovalCause.EXPIRED));
  }

  /** Evicts ahead of demand, for a sequence that has ended. */
  void evictAhead(RequestFacts ended) {
    int blocks = pool.blocks();
    long used = usedBlocks();
    if (used > threshold * blocks && !evictsOnDemand()) {
      long surplus = used - (long) (target * blocks);
      cache.evict(Math.ceilDiv(surplus, windows.unit()), Demand.Reason.BACKGROUND, ended);
    }
  }

  void logFault() {
    PolicyFault fault = cache.lastFault();
    if (fault != null && fault != loggedFault) {
      loggedFault = fault;
      LOG.error(
          "policy failed device={} now={} reason=\"{}\"",
          name(),
          cache.policyName(),
          fault.getMessage());
    }
  }
}
