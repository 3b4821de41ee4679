package dev.ebb.host.switching;

import dev.ebb.host.cache.AccessListeners;
import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.cache.ThreadedBlockCache;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.PolicyClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Empty caches whose policies run on threads of their own. */
public final class CacheSite implements PolicySite, AutoCloseable {

  private static final long CAPACITY = 1_024;

  private final EvictionLog log = new EvictionLog(64);
  private final List<PolicyPlace> places = new ArrayList<>();
  private final List<Runnable> closing = new ArrayList<>();
  private EvictionLimits limits = new EvictionLimits(0.9, 0.8, Duration.ofSeconds(2));

  CacheSite(List<String> names) {
    for (String name : names) {
      ReentrantLock lock = new ReentrantLock();
      BlockCache cache =
          new ThreadedBlockCache(CAPACITY, System::nanoTime, new GhostWindow(1), limits, lock);
      cache.log(log, 1, entry -> null);
      PolicyPlace place = new PolicyPlace(name, lock, cache, new AccessListeners(), 1);
      places.add(place);
      closing.add(() -> place.locked(cache::close));
    }
  }

  @Override
  public List<PolicyPlace> places() {
    return places;
  }

  @Override
  public EvictionLimits limits() {
    return limits;
  }

  @Override
  public void limits(EvictionLimits next) {
    limits = next;
  }

  @Override
  public PolicyClock clock() {
    return System::nanoTime;
  }

  @Override
  public EvictionLog evictionLog() {
    return log;
  }

  @Override
  public SiteUse use() {
    List<SiteUse.Place> memory =
        places.stream()
            .map(place ->
                new SiteUse.Place(place.name(), place.residentBlocks(), place.capacityBlocks()))
            .toList();
    return new SiteUse(memory, 0, 0, 0, 0, 0, 0, Map.of(), Map.of());
  }

  @Override
  public void close() {
    closing.forEach(Runnable::run);
  }
}
