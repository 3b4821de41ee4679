package dev.ebb.host.shadow;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.CacheEntry;
import dev.ebb.host.cache.CacheRequest;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.OnFault;
import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.host.cache.PolicyFault;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.spi.Demand;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A cache without values that applies the eviction rules of the live cache to one policy. A
 * client's reaction to a miss in this cache only is unknown. The simulation assumes that the client
 * stores the value.
 */
final class ShadowCache implements AutoCloseable {

  private static final int MOST_AWAITED = 1 << 16;

  private final BlockCache cache;
  private final @Nullable EvictionLimits limits;
  private final CacheRequest request = new CacheRequest();

  /** Keys that the live cache missed, so that the next put answers the miss. */
  private final Set<Long> awaited = new HashSet<>();

  /**
   * Creates an empty cache.
   *
   * @param limits limits of the live cache's background eviction; null if there is none
   * @throws PolicyFault if the policy fails
   */
  ShadowCache(
      PolicyCandidate policy, long capacity, PolicyClock clock, @Nullable EvictionLimits limits) {
    this.limits = limits;
    cache = new InlineBlockCache(capacity, clock, new GhostWindow(1), OnFault.FAIL);
    cache.install(policy);
  }

  int entries() {
    return cache.residentEntries();
  }

  /** Throws if the policy tracks a different number of entries than are resident. */
  void checkSize() {
    long size = cache.policySize();
    if (size != cache.residentEntries()) {
      throw new IllegalStateException(
          "size() is %d, and %d entries are resident".formatted(size, cache.residentEntries()));
    }
  }

  /** Starts a request; its blocks are added one by one. */
  void begin(RequestFacts facts) {
    request.reset(facts, -1);
  }

  void add(long key) {
    request.add(key, high(key));
  }

  /** Runs the request and returns the number of matched blocks. */
  int run() {
    if (request.blocks() == 0) {
      return 0;
    }
    int matched = cache.begin(request);
    cache.admit(request);
    cache.finish(request);
    drain();
    return matched;
  }

  /** Looks up an object and returns whether it is cached. */
  boolean access(boolean liveHit, long key, long blocks, RequestFacts facts) {
    CacheEntry entry = cache.find(key, high(key));
    if (!liveHit) {
      if (awaited.size() == MOST_AWAITED) {
        awaited.clear();
      }
      awaited.add(key);
    }
    if (entry != null) {
      cache.access(entry, facts);
    } else if (liveHit) {
      insert(key, blocks, facts);
    }
    return entry != null;
  }

  void store(long key, long blocks, RequestFacts facts) {
    boolean refill = awaited.remove(key);
    CacheEntry entry = cache.find(key, high(key));
    if (entry != null && refill && entry.blocks() == blocks) {
      // A client that found the object would not have stored it.
      return;
    }
    if (entry != null) {
      cache.remove(entry, RemovalCause.REPLACED);
    }
    insert(key, blocks, facts);
  }

  /** Caches a block at the end of a request. An existing block is reused. */
  void append(long key, RequestFacts facts) {
    if (cache.find(key, high(key)) == null) {
      insert(key, 1, facts);
    }
  }

  void remove(long key, RemovalCause cause) {
    awaited.remove(key);
    CacheEntry entry = cache.find(key, high(key));
    if (entry != null) {
      cache.remove(entry, cause);
    }
  }

  /** Removes all entries. The policy sees them as evicted. */
  void clear() {
    awaited.clear();
    cache.evictTo(0, Demand.Reason.BACKGROUND);
  }

  /** Returns the size of a resident entry; 0 if it is not resident. */
  int weight(long key) {
    CacheEntry entry = cache.find(key, high(key));
    return entry == null ? 0 : entry.blocks();
  }

  private void insert(long key, long blocks, RequestFacts facts) {
    if (blocks <= cache.capacityBlocks() && cache.reserve(blocks, facts)) {
      cache.insert(key, high(key), (int) blocks, facts);
      drain();
    }
  }

  private void drain() {
    long capacity = cache.capacityBlocks();
    if (limits != null && cache.occupiedBlocks() > (long) (limits.threshold() * capacity)) {
      cache.evictTo((long) (limits.target() * capacity), Demand.Reason.BACKGROUND);
    }
  }

  /** Returns the upper half of an entry id, derived from the 64-bit key of the sample. */
  private static long high(long key) {
    return key * 0xC2B2AE3D27D4EB4FL;
  }

  static boolean isAccess(Kind kind) {
    return kind == Kind.HIT || kind == Kind.MISS;
  }

  @Override
  public void close() {
    cache.close();
  }
}
