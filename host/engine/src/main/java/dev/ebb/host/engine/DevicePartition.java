package dev.ebb.host.engine;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.pool.KvPool;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an engine has on one device: a pool, the prefix cache on it with a policy of its own, and
 * what happened there. Each device evicts by itself, since only what leaves it makes room on it.
 */
final class DevicePartition {

  private static final Logger LOG = LoggerFactory.getLogger(DevicePartition.class);

  private final Engine engine;
  final KvPool pool;
  final BlockCache cache;
  final AccessListeners listeners = new AccessListeners();
  final CachedPages cached;
  final SequenceTraffic traffic = new SequenceTraffic();
  final BlockReclaimer shortage;
  final Movement movement;
  private double threshold;
  private double target;
  private @Nullable PolicyFault toldFault;

  /**
   * A partition over an empty pool and an empty cache of the pool's capacity.
   *
   * @param threshold the share of the pool above which eviction starts ahead of demand, 0 to 1
   * @param target the share at which that stops
   */
  DevicePartition(Engine engine, KvPool pool, BlockCache cache, double threshold, double target) {
    this.engine = engine;
    this.pool = pool;
    this.cache = cache;
    limits(threshold, target);
    cached = new CachedPages(pool);
    cache.watch(cached);
    shortage = new BlockReclaimer(engine, this);
    movement = new Movement(engine, this);
  }

  /** Changes when eviction starts ahead of demand, and when it stops. */
  final void limits(double start, double stop) {
    threshold = start;
    target = stop;
  }

  ReentrantLock lock() {
    return engine.lock;
  }

  String name() {
    return pool.device().name();
  }

  KvLayout layout() {
    return pool.layout();
  }

  /** Blocks of cached pages that may leave. */
  long evictableBlocks() {
    return cache.evictableBlocks() * layout().laneGroups();
  }

  /** Blocks of cached pages that were evicted for room. */
  long evictedBlocks() {
    return cache.evictions() * layout().laneGroups();
  }

  long openSequences() {
    return engine.sequences.stream().filter(sequence -> sequence.home.partition == this).count();
  }

  /** Blocks that are free, or would be if all left that may. */
  long obtainableBlocks() {
    return pool.freeBlocks() + evictableBlocks();
  }

  /** Whether the pool is too full though all had left that may. */
  boolean pressed() {
    return obtainableBlocks() < (1 - threshold) * pool.blocks();
  }

  /** How many pages of a chain are cached here, from its front. */
  int cachedPages(KeyChain chain) {
    // What stands before a resident block is resident too, so there is one boundary to search for.
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

  /** Drops the last of a chain's pages that nobody uses and nothing is cached behind. */
  void forget(KeyChain chain, int pages) {
    boolean going = true;
    for (int page = pages - 1; page >= 0 && going; page--) {
      var entry = cache.find(chain.low(page), chain.high(page));
      going = entry != null && cache.remove(entry, RemovalCause.MIGRATED);
    }
  }

  /** Keeps room free ahead of demand. */
  void evictAhead() {
    int blocks = pool.blocks();
    int used = blocks - pool.freeBlocks();
    if (used > threshold * blocks) {
      long surplus = used - (long) (target * blocks);
      cache.evict(
          Math.ceilDiv(surplus, layout().laneGroups()),
          Demand.Reason.BACKGROUND,
          RequestFacts.UNKNOWN);
    }
  }

  void tellFault() {
    PolicyFault fault = cache.lastFault();
    if (fault != null && fault != toldFault) {
      toldFault = fault;
      LOG.error(
          "policy failed device={} now={} reason=\"{}\"",
          name(),
          cache.policyName(),
          fault.getMessage());
    }
  }
}
