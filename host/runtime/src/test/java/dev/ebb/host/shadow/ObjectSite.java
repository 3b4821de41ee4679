package dev.ebb.host.shadow;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.InlineBlockCache;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.PolicyClock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A live cache of objects of one block, with one place and LRU. */
final class ObjectSite implements PolicySite, AutoCloseable {

  private final ReentrantLock lock = new ReentrantLock();
  private final AccessListeners listeners = new AccessListeners();
  private final BlockCache cache;
  private final PolicyClock clock;
  private final PolicyPlace place;

  ObjectSite(long capacity) {
    this(capacity, System::nanoTime);
  }

  ObjectSite(long capacity, PolicyClock clock) {
    this.clock = clock;
    cache = new InlineBlockCache(capacity, clock, new GhostWindow(1), OnFault.FAIL);
    cache.install(BuiltInLru.NAME, new BuiltInLru());
    place = new PolicyPlace("all", lock, cache, listeners, 1);
  }

  /** Requests an object, and stores it if it is not there. */
  void use(long key) {
    use(key, RequestFacts.UNKNOWN);
  }

  /** Does the same for a client with attributes. */
  void use(long key, RequestFacts facts) {
    place.locked(() -> {
      CacheEntry entry = cache.find(key, key);
      if (entry != null) {
        cache.access(entry, facts);
        listeners.hit(key, entry.blocks(), facts);
        return;
      }
      listeners.missed(key, facts);
      listeners.stored(key, 1, facts);
      if (cache.reserve(1, facts)) {
        cache.insert(key, key, 1, facts);
      }
    });
  }

  /** Reports a request. */
  void began(CacheRequest request) {
    place.locked(() -> listeners.began(request));
  }

  /** Activates LRU by another name. */
  void install(String policy) {
    place.locked(() -> cache.install(policy, new BuiltInLru()));
  }

  @Override
  public List<PolicyPlace> places() {
    return List.of(place);
  }

  @Override
  public @Nullable EvictionLimits limits() {
    return null;
  }

  @Override
  public void limits(EvictionLimits limits) {
    throw new UnsupportedOperationException();
  }

  @Override
  public PolicyClock clock() {
    return clock;
  }

  @Override
  public EvictionLog evictionLog() {
    return new EvictionLog(1);
  }

  @Override
  public SiteUse use() {
    return new SiteUse(
        List.of(), place.locked(cache::evictions), 0, 0, 0, 0, 0, Map.of(), Map.of());
  }

  @Override
  public void close() {
    place.locked(cache::close);
  }
}
