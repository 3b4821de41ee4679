package dev.ebb.host.store;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.cache.PolicySite;
import dev.ebb.host.cache.SiteUse;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.spi.PolicyClock;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The caches of a store's parts, whose policy can be switched. */
final class StoreSite implements PolicySite {

  private final ObjectStore store;
  private final EvictionLog log;
  private final TimeSource time;
  private final List<PolicyPlace> places;
  private volatile @Nullable EvictionLimits limits;

  StoreSite(ObjectStore store, EvictionLog log, StoreOptions options, TimeSource time) {
    this.store = store;
    this.log = log;
    this.time = time;
    places = store.parts().stream().map(partition -> partition.place).toList();
    limits = options.limits;
  }

  @Override
  public List<PolicyPlace> places() {
    return places;
  }

  @Override
  public @Nullable EvictionLimits limits() {
    return limits;
  }

  @Override
  public void limits(EvictionLimits next) {
    store.parts().forEach(partition -> partition.place.locked(() -> partition.cache.limits(next)));
    limits = next;
  }

  @Override
  public PolicyClock clock() {
    return time;
  }

  @Override
  public EvictionLog evictionLog() {
    return log;
  }

  @Override
  public SiteUse use() {
    List<PartitionStats> parts = store.partitions();
    StoreStats all = StoreStats.sum(parts);
    return new SiteUse(
        parts.stream().map(StoreSite::placeUse).toList(),
        all.evictedBytes(),
        all.hits() + all.misses(),
        all.prematureEvictions().count(),
        all.chains().lookups(),
        // Rules judge what memory holds.
        all.chains().hits() - all.chains().hitsElsewhere(),
        parts.stream().mapToLong(part -> part.cache().thread().waiting()).sum(),
        requested(store.models()),
        requested(store.tenants()));
  }

  private static SiteUse.Place placeUse(PartitionStats part) {
    return new SiteUse.Place(
        part.name(), part.numbers().usedBytes(), part.numbers().capacityBytes());
  }

  private static Map<String, Long> requested(List<UseStats> labels) {
    return labels.stream()
        .collect(Collectors.toMap(UseStats::name, each -> each.hits() + each.misses()));
  }
}
