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
 * A cache without values, on which a policy decides by the same rules as on the live one. What a
 * client does after a miss is not known where only this cache misses: it is taken to put the value,
 * as clients of a cache do.
 */
final class ShadowCache implements AutoCloseable {

  private static final int MOST_AWAITED = 1 << 16;

  private final BlockCache cache;
  private final @Nullable EvictionLimits limits;
  private final CacheRequest request = new CacheRequest();

  /** Missed by the live cache, so that a put of it is the answer to that. */
  private final Set<Long> awaited = new HashSet<>();

  /**
   * An empty cache.
   *
   * @param limits when the live cache evicts ahead of demand; null if it does not
   * @throws PolicyFault if the policy fails to take over
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

  /** Throws if the policy holds another number of entries than are resident. */
  void checkSize() {
    long size = cache.policySize();
    if (size != cache.residentEntries()) {
      throw new IllegalStateException(
          "size() is %d, and %d entries are resident".formatted(size, cache.residentEntries()));
    }
  }

  /** Begins a request; its blocks are added one by one. */
  void begin(RequestFacts facts) {
    request.reset(facts, -1);
  }

  void add(long key) {
    request.add(key, high(key));
  }

  /** Runs the request. Returns how many blocks matched. */
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

  /** Returns an object is asked for. Returns whether it is there. */
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
      // Who found it would not have put it.
      return;
    }
    if (entry != null) {
      cache.remove(entry, RemovalCause.REPLACED);
    }
    insert(key, blocks, facts);
  }

  /** A block is cached behind a request. One that is there already is used as it is. */
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

  /** Everything leaves; to the policy it looks as if room had been wanted. */
  void clear() {
    awaited.clear();
    cache.evictTo(0, Demand.Reason.BACKGROUND);
  }

  /** What an entry that is there weighs, 0 if it is not. */
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

  /** Returns the sample has 64 bits of name; the upper half only has to follow from them. */
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
