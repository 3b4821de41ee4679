package dev.ebb.host.shadow;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.Admission;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.host.shadow.AccessBatch.Requested;
import dev.ebb.host.shadow.Seeds.Resident;
import dev.ebb.spi.Demand;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
  private final ObjectChains chains;
  private final CacheRequest request = new CacheRequest();

  // The request: whether its blocks are objects, their weights, and how many of the first ones
  // earlier parts of it have counted and used, and are in a known order.
  private boolean ofObjects;
  private int[] weights = new int[64];
  private int counted;
  private int used;
  private int ordered;
  private long hitBlocks;

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
    chains = new ObjectChains(cache);
    cache.install(policy);
  }

  /** Evicts higher-priority entries for a request only if nothing else is evictable. */
  void respectPriority() {
    cache.respectPriority();
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

  /**
   * Adds entries of the live cache, the hottest ones that fit.
   *
   * @param residents those of this cache
   * @param sample all that are sampled, by key
   */
  void seed(Collection<Resident> residents, Map<Long, Resident> sample) {
    List<Resident> hottestFirst = new ArrayList<>(residents);
    hottestFirst.sort(Comparator.comparingLong(Resident::tick).reversed());
    List<Resident> kept = new ArrayList<>();
    for (Resident each : hottestFirst) {
      if (cache.reserveFree(each.blocks())) {
        kept.add(each);
      }
    }
    kept.sort(Comparator.comparingInt(Resident::depth));
    for (Resident each : kept) {
      CacheEntry entry =
          cache.insertUnpublished(
              each.key(), CacheRequest.upperHalf(each.key()), each.blocks(), each.facts());
      chains.link(entry, before(each, sample));
    }
    // The policy receives each entry in its chain, in the order of a policy switch.
    kept.sort(Comparator.comparingLong(Resident::tick));
    kept.forEach(each -> cache.publish(requireNonNull(cache.find(each.key()))));
    drain();
  }

  private @Nullable CacheEntry before(Resident resident, Map<Long, Resident> sample) {
    Resident on = resident;
    while (on != null && on.before() != null) {
      CacheEntry entry = cache.find(on.before());
      if (entry != null) {
        return entry;
      }
      // Chains may have changed while the residents were collected.
      Resident next = sample.get(on.before());
      on = next == null || next.depth() >= on.depth() ? null : next;
    }
    return null;
  }

  /** Starts a request; its blocks are added one by one. */
  void begin(Requested with) {
    request.reset(with.facts(), with.inputTokens());
    request.answered(with.outputTokens());
    ofObjects = with.serial() != 0;
    counted = 0;
    used = 0;
    ordered = 0;
  }

  /**
   * Adds a block of the request.
   *
   * @param weight 0 if the live cache missed it and it has not been stored
   * @param inOrder whether its place in the request is known
   * @param usedBefore whether an earlier part of the request has used it
   */
  void add(Kind kind, long key, int weight, boolean inOrder, boolean usedBefore) {
    int index = request.blocks();
    if (index == weights.length) {
      weights = Arrays.copyOf(weights, 2 * index);
    }
    weights[index] = weight;
    request.add(key);
    counted += kind == Kind.COUNTED ? 1 : 0;
    used += usedBefore ? 1 : 0;
    ordered += inOrder ? 1 : 0;
  }

  /** Runs the request and returns how many matched blocks no earlier part has counted. */
  int run() {
    hitBlocks = 0;
    if (request.blocks() == 0) {
      return 0;
    }
    request.ordered(ordered);
    int matched = ofObjects ? runOfObjects() : runOfBlocks();
    drain();
    return Math.max(0, matched - counted);
  }

  /** Returns the weight of the matched blocks of the last request. */
  long hitBlocks() {
    return hitBlocks;
  }

  private int runOfBlocks() {
    int matched = cache.begin(request);
    cache.admit(request);
    cache.finish(request);
    hitBlocks = matched;
    return matched;
  }

  private int runOfObjects() {
    List<CacheEntry> path = new ArrayList<>(request.blocks());
    List<CacheEntry> found = new ArrayList<>();
    CacheEntry parent = null;
    int matched = 0;
    int made = request.blocks();
    boolean going = true;
    for (int i = 0; going && i < request.blocks(); i++) {
      CacheEntry entry = find(i);
      if (entry == null) {
        entry = make(i);
        made = Math.min(made, i);
      } else if (entry.published()) {
        cache.pin(entry);
        found.add(entry);
        matched += matched == i ? 1 : 0;
        hitBlocks += matched == i + 1 && i >= counted ? entry.blocks() : 0;
      } else {
        // A key that the request names twice.
        entry = null;
      }
      // The blocks behind those in a known order all follow the last of these. Where a request
      // begins proves nothing: a lookup may have been interrupted.
      boolean placed = (i == 0 || i >= ordered) && entry != null && entry.parent() != null;
      going = placed || (entry != null && chains.link(entry, parent));
      if (going) {
        parent = i < ordered ? entry : parent;
        path.add(requireNonNull(entry));
      }
    }
    int from = Math.min(path.size(), Math.min(used, made));
    int known = Math.max(matched, from);
    cache.complete(request, path, known, known, from);
    found.forEach(cache::unpin);
    return matched;
  }

  /** Returns the entry of a block of the request, unless it was stored with another size since. */
  private @Nullable CacheEntry find(int block) {
    long key = request.fingerprint(block);
    CacheEntry entry = cache.find(key);
    if (entry == null || weights[block] == 0 || weights[block] == entry.blocks()) {
      return entry;
    }
    chains.unlinkChildren(entry);
    return cache.remove(entry, RemovalCause.REPLACED) ? null : entry;
  }

  /** Makes a pinned entry; returns null if there is no room, or the live cache has none either. */
  private @Nullable CacheEntry make(int block) {
    long key = request.fingerprint(block);
    int weight = weights[block];
    return weight > 0 && weight <= cache.capacityBlocks() && reserves(key, weight, request.facts())
        ? cache.insertUnpublished(key, CacheRequest.upperHalf(key), weight, request.facts())
        : null;
  }

  /** Looks up an object and returns whether it is cached. */
  boolean access(boolean liveHit, long key, long blocks, RequestFacts facts) {
    CacheEntry entry = cache.find(key);
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
    CacheEntry entry = cache.find(key);
    if (entry != null && refill && entry.blocks() == blocks) {
      // A client that found the object would not have stored it.
      return;
    }
    if (entry != null) {
      chains.unlinkChildren(entry);
      cache.remove(entry, RemovalCause.REPLACED);
    }
    insert(key, blocks, facts);
  }

  /** Changes the weight of an object; one that does not fit any more is removed. */
  void reweigh(long key, long blocks) {
    CacheEntry entry = cache.find(key);
    if (entry == null) {
      return;
    }
    long more = blocks - entry.blocks();
    cache.pin(entry);
    boolean fits = more <= 0 || cache.reserve(more, entry.lastUse());
    if (fits) {
      cache.reweigh(entry, more);
      cache.unreserve(Math.max(0, -more));
    }
    cache.unpin(entry);
    if (!fits) {
      remove(key, RemovalCause.NOT_ADMITTED);
    }
    drain();
  }

  /** Caches a block at the end of a request. An existing block is reused. */
  void append(long key, RequestFacts facts) {
    if (cache.find(key) == null) {
      insert(key, 1, facts);
    }
  }

  void remove(long key, RemovalCause cause) {
    awaited.remove(key);
    CacheEntry entry = cache.find(key);
    if (entry != null) {
      chains.unlinkChildren(entry);
      cache.remove(entry, cause);
    }
  }

  /** Removes all entries. The policy sees them as evicted. */
  void clear() {
    awaited.clear();
    cache.evictTo(0, Demand.Reason.MANUAL);
  }

  /** Returns the size of a resident entry; 0 if it is not resident. */
  int weight(long key) {
    CacheEntry entry = cache.find(key);
    return entry == null ? 0 : entry.blocks();
  }

  private void insert(long key, long blocks, RequestFacts facts) {
    if (blocks <= cache.capacityBlocks() && reserves(key, blocks, facts)) {
      cache.insert(key, CacheRequest.upperHalf(key), (int) blocks, facts);
      drain();
    }
  }

  /** Reserves space for an object, unless the policy decides not to admit it. */
  private boolean reserves(long key, long blocks, RequestFacts facts) {
    return cache.reserve(blocks, facts, key, CacheRequest.upperHalf(key)) == Admission.ADMITTED;
  }

  private void drain() {
    long capacity = cache.capacityBlocks();
    if (limits != null && cache.occupiedBlocks() > (long) (limits.threshold() * capacity)) {
      cache.evictTo((long) (limits.target() * capacity), Demand.Reason.BACKGROUND);
    }
  }

  static boolean isAccess(Kind kind) {
    return kind == Kind.HIT || kind == Kind.MISS;
  }

  @Override
  public void close() {
    cache.close();
  }
}
