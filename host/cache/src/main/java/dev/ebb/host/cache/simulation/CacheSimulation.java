package dev.ebb.host.cache.simulation;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.Admission;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.group.SizedGroups;
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
 * stores the value. Not thread-safe.
 *
 * <p>A request is begun, receives its blocks, and runs. Its blocks are those of one prompt, or
 * objects whose chains become known bit by bit, or chunks of a hybrid model.
 */
public final class CacheSimulation implements AutoCloseable {

  private static final int MOST_AWAITED = 1 << 16;

  private final BlockCache cache;
  private final @Nullable EvictionLimits limits;
  private final ObjectChains chains;
  private final CacheRequest request = new CacheRequest();

  // The request: whether its blocks are objects, their weights, and how many of the first ones
  // earlier parts of it have counted and used, and are in a known order.
  private boolean ofObjects;
  private @Nullable SizedGroups groups;
  private long outputTokens;
  private int[] weights = new int[64];
  private int stored;
  private int counted;
  private int used;
  private int ordered;
  private long hitBlocks;

  /** The keys of a request of chunks. */
  private final Set<Long> named = new HashSet<>();

  /** Keys that the live cache missed, so that the next put answers the miss. */
  private final Set<Long> awaited = new HashSet<>();

  /** Creates an empty cache. The limits are those of the live cache's background eviction. */
  public CacheSimulation(
      PolicyCandidate policy, long capacity, PolicyClock clock, @Nullable EvictionLimits limits) {
    this.limits = limits;
    cache = new InlineBlockCache(capacity, clock, new GhostWindow(1), OnFault.FAIL);
    chains = new ObjectChains(cache);
    cache.install(policy);
  }

  public void respectPriority() {
    cache.respectPriority();
  }

  public int entries() {
    return cache.residentEntries();
  }

  public long evictions() {
    return cache.evictions();
  }

  /** Throws if the policy tracks a different number of entries than are resident. */
  public void checkSize() {
    long size = cache.policySize();
    if (size != cache.residentEntries()) {
      throw new IllegalStateException(
          "size() is %d, and %d entries are resident".formatted(size, cache.residentEntries()));
    }
  }

  public void seed(Collection<Resident> residents, Map<Long, Resident> sample) {
    List<Resident> hottestFirst = new ArrayList<>(residents);
    hottestFirst.sort(Comparator.comparingLong(Resident::tick).reversed());
    List<Resident> kept = new ArrayList<>();
    for (Resident each : hottestFirst) {
      if (cache.reserveFree(each.blocks())) {
        kept.add(each);
      }
    }
    kept.sort(Comparator.comparingInt(Resident::depth));
    kept.removeIf(each -> !inserted(each, before(each, sample)));
    // The policy receives each entry in its chain, in the order of a policy switch.
    kept.sort(Comparator.comparingLong(Resident::tick));
    kept.forEach(each -> cache.publish(requireNonNull(cache.find(each.key()))));
    kept.forEach(this::addParts);
    drain();
  }

  /** Inserts an entry for which there is room, but not a chunk of no use: its prefix is missing. */
  private boolean inserted(Resident each, @Nullable CacheEntry parent) {
    if (each.parts() != null && parent == null && each.before() != null) {
      cache.unreserve(each.blocks());
      return false;
    }
    CacheEntry entry =
        cache.insertUnpublished(
            each.key(), CacheRequest.upperHalf(each.key()), each.blocks(), each.facts());
    chains.link(entry, parent);
    return true;
  }

  private void addParts(Resident of) {
    SizedGroups parts = of.parts();
    CacheEntry entry = requireNonNull(cache.find(of.key()));
    if (parts != null) {
      cache.regroup(entry, parts.groups());
      for (int group = 0; group < parts.weights().size(); group++) {
        cache.weighPart(entry, group, parts.weights().get(group));
      }
    }
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

  /**
   * Starts a request; its blocks are added one by one. Lengths are in tokens, -1 if unknown. If its
   * model is hybrid, its blocks are chunks.
   */
  public void begin(
      RequestFacts facts,
      long inputTokens,
      long outputTokens,
      boolean ofObjects,
      @Nullable SizedGroups ofModel) {
    request.reset(facts, inputTokens);
    request.groups(ofModel);
    this.outputTokens = outputTokens;
    this.ofObjects = ofObjects;
    groups = ofModel;
    named.clear();
    stored = 0;
    counted = 0;
    used = 0;
    ordered = 0;
  }

  /**
   * Adds a block of the request.
   *
   * @param weight 0 if the live cache missed it and it has not been stored
   * @param inOrder whether its place in the request is known
   * @param countedBefore whether an earlier part of the request has counted it
   */
  public void add(
      long key, int weight, boolean inOrder, boolean countedBefore, boolean usedBefore) {
    if (groups != null && !named.add(key)) {
      return;
    }
    int index = request.blocks();
    if (index == weights.length) {
      weights = Arrays.copyOf(weights, 2 * index);
    }
    weights[index] = weight;
    request.add(key);
    stored = weight > 0 ? index + 1 : stored;
    counted += countedBefore ? 1 : 0;
    used += usedBefore ? 1 : 0;
    ordered += inOrder ? 1 : 0;
  }

  /** Runs the request and returns how many matched blocks no earlier part has counted. */
  public int run() {
    hitBlocks = 0;
    if (request.blocks() == 0) {
      return 0;
    }
    int matched;
    if (groups != null) {
      matched = used < request.blocks() ? runOfChunks() : 0;
    } else {
      request.ordered(ordered);
      matched = ofObjects ? runOfObjects() : runOfBlocks();
    }
    drain();
    return Math.max(0, matched - counted);
  }

  /** Returns the weight of the matched blocks of the last request. */
  public long hitBlocks() {
    return hitBlocks;
  }

  private int runOfBlocks() {
    int matched = cache.begin(request);
    cache.admit(request);
    request.answered(outputTokens);
    cache.finish(request);
    hitBlocks = matched;
    return matched;
  }

  /** Runs the same steps as a replay, after the chain of the prompt is as the request has it. */
  private int runOfChunks() {
    alignChain();
    int matched = cache.begin(request);
    for (int i = counted; i < matched; i++) {
      hitBlocks += request.entry(i).blocks();
    }
    cache.admit(request, stored);
    for (int i = Math.max(1, matched); i < request.held(); i++) {
      chains.linked(request.entry(i), request.entry(i - 1));
    }
    request.answered(outputTokens);
    cache.finish(request);
    return matched;
  }

  /** Links the resident chunks of the request, and removes those behind a missing one. */
  private void alignChain() {
    CacheEntry parent = null;
    boolean whole = true;
    for (int i = 0; i < request.blocks(); i++) {
      CacheEntry entry = cache.find(request.fingerprint(i));
      whole = whole && entry != null && isOfModel(entry) && chains.link(entry, parent);
      if (!whole && entry != null) {
        discard(entry);
      }
      parent = entry;
    }
  }

  private boolean isOfModel(CacheEntry entry) {
    ChunkParts parts = entry.parts();
    return parts != null && parts.groups().equals(requireNonNull(groups).groups());
  }

  private void discard(CacheEntry entry) {
    chains.unlinkChildren(entry);
    if (!cache.remove(entry, RemovalCause.REPLACED)) {
      throw new IllegalStateException("%s is in use".formatted(entry));
    }
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
      going =
          placed
              || (entry != null
                  && (chains.link(entry, parent)
                      || (chains.lift(path.getFirst(), entry) && chains.link(entry, parent))));
      if (going) {
        parent = i < ordered ? entry : parent;
        path.add(requireNonNull(entry));
      }
    }
    int from = Math.min(path.size(), Math.min(used, made));
    int known = Math.max(matched, from);
    request.answered(outputTokens);
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
  public boolean access(boolean liveHit, long key, long blocks, RequestFacts facts) {
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

  public void store(long key, long blocks, RequestFacts facts) {
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
  public void reweigh(long key, long blocks) {
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
  public void append(long key, RequestFacts facts) {
    if (cache.find(key) == null) {
      insert(key, 1, facts);
    }
  }

  public void remove(long key, RemovalCause cause) {
    awaited.remove(key);
    CacheEntry entry = cache.find(key);
    if (entry != null) {
      chains.unlinkChildren(entry);
      cache.remove(entry, cause);
    }
  }

  /** Removes all entries. The policy sees them as evicted. */
  public void clear() {
    awaited.clear();
    cache.evictTo(0, Demand.Reason.MANUAL);
  }

  /** Returns the size of a resident entry; 0 if it is not resident. */
  public int weight(long key) {
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

  public void resize(long capacity) {
    if (capacity != cache.capacityBlocks()) {
      cache.resize(capacity);
    }
  }

  public boolean warm() {
    return cache.evictions() > 0;
  }

  @Override
  public void close() {
    cache.close();
  }
}
