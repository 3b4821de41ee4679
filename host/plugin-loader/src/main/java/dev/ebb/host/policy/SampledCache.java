package dev.ebb.host.policy;

import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cache without values that shows what a policy would have hit in sampled requests. */
final class SampledCache implements AutoCloseable {

  /** The most entries that a cache may have. */
  static final int MOST_ENTRIES = 8_192;

  private final InlineBlockCache cache;
  private final Time time;
  private final CacheRequest request = new CacheRequest();

  /** The time of the request that is simulated. */
  static final class Time implements PolicyClock {

    private long nanos;

    @Override
    public long nanos() {
      return nanos;
    }
  }

  /**
   * Creates an empty cache.
   *
   * @param time the clock that the policy has
   */
  SampledCache(PolicyCandidate policy, long capacity, Time time) {
    this.time = time;
    cache = new InlineBlockCache(capacity, time, new GhostWindow(1), OnFault.FAIL);
    cache.install(policy);
  }

  /** Changes the capacity, and evicts what does not fit any more. */
  void resize(long capacity) {
    if (capacity != cache.capacityBlocks()) {
      cache.resize(capacity);
    }
  }

  /** Returns whether it has been full. */
  boolean warm() {
    return cache.evictions() > 0;
  }

  /** Runs a request, and returns how many blocks it hit that were not counted before. */
  int run(SampledRequest sampled) {
    if (sampled.removal != null) {
      remove(sampled.keys[0], sampled.removal);
      return 0;
    }
    time.nanos = Math.max(time.nanos, sampled.nanos);
    request.reset(sampled.facts, sampled.inputTokens);
    for (long key : sampled.keys) {
      request.add(key);
    }
    if (sampled.used > 0) {
      return Math.max(0, more(sampled) - sampled.counted);
    }
    int matched = cache.begin(request);
    cache.admit(request);
    request.answered(sampled.outputTokens);
    cache.finish(request);
    return Math.max(0, matched - sampled.counted);
  }

  /** Runs a later report of a request: what earlier ones have used is not used again. */
  private int more(SampledRequest sampled) {
    List<CacheEntry> path = new ArrayList<>(sampled.keys.length);
    List<CacheEntry> found = new ArrayList<>(sampled.keys.length);
    CacheEntry parent = null;
    int matched = 0;
    for (long key : sampled.keys) {
      CacheEntry entry = cache.find(key);
      if (entry != null && entry.published()) {
        cache.pin(entry);
        found.add(entry);
        matched += matched == path.size() ? 1 : 0;
      } else {
        entry = entry == null ? make(key, sampled, parent) : null;
      }
      if (entry == null) {
        break;
      }
      path.add(entry);
      parent = entry;
    }
    request.answered(sampled.outputTokens);
    int from = Math.min(path.size(), Math.min(sampled.used, matched));
    int known = Math.max(matched, from);
    cache.complete(request, path, known, known, from);
    found.forEach(cache::unpin);
    return matched;
  }

  private @Nullable CacheEntry make(long key, SampledRequest sampled, @Nullable CacheEntry parent) {
    if (!cache.reserve(1, sampled.facts)) {
      return null;
    }
    CacheEntry made = cache.insertUnpublished(key, CacheRequest.upperHalf(key), 1, sampled.facts);
    if (parent != null) {
      cache.link(made, parent, parent.depth() + 1);
    }
    return made;
  }

  /** Removes an object that is useless now, unless a chain depends on it. */
  private void remove(long key, RemovalCause cause) {
    CacheEntry entry = cache.find(key);
    if (entry != null) {
      cache.remove(entry, cause);
    }
  }

  @Override
  public void close() {
    cache.close();
  }
}
