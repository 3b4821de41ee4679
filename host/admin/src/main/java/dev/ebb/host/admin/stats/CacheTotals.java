package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.spi.RemovalCause;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Totals over the caches of all partitions. */
record CacheTotals(List<CacheStats> caches) {

  private static final CacheStats.Amount NOTHING = new CacheStats.Amount(0, 0);

  static CacheTotals of(EngineStats engine) {
    return new CacheTotals(engine.devices().stream().map(DeviceStats::cache).toList());
  }

  static CacheTotals of(List<PartitionStats> partitions) {
    return new CacheTotals(partitions.stream().map(PartitionStats::cache).toList());
  }

  long sum(ToLongFunction<CacheStats> number) {
    return caches.stream().mapToLong(number).sum();
  }

  long threads(ToLongFunction<PolicyThreadStats> number) {
    return sum(cache -> number.applyAsLong(cache.thread()));
  }

  CacheStats.Amount evictions(EvictedBy by) {
    return sum(cache -> cache.evictions().getOrDefault(by, NOTHING), NOTHING);
  }

  Map<String, Map<EvictedBy, CacheStats.Amount>> evictionsByPolicy() {
    Map<String, Map<EvictedBy, CacheStats.Amount>> sums = new TreeMap<>();
    for (CacheStats cache : caches) {
      cache
          .evictionsByPolicy()
          .forEach((policy, amounts) -> {
            Map<EvictedBy, CacheStats.Amount> sum =
                sums.computeIfAbsent(policy, any -> new EnumMap<>(EvictedBy.class));
            amounts.forEach((by, amount) -> sum.merge(by, amount, CacheTotals::plus));
          });
    }
    return sums;
  }

  CacheStats.Amount removals(RemovalCause cause) {
    return sum(cache -> cache.removals().getOrDefault(cause, NOTHING), NOTHING);
  }

  private CacheStats.Amount sum(
      Function<CacheStats, CacheStats.Amount> amount, CacheStats.Amount none) {
    return caches.stream().map(amount).reduce(none, CacheTotals::plus);
  }

  private static CacheStats.Amount plus(CacheStats.Amount one, CacheStats.Amount other) {
    return new CacheStats.Amount(one.entries() + other.entries(), one.blocks() + other.blocks());
  }

  Buckets latencies(Function<CacheStats, Histogram> histogram) {
    return Buckets.latencies(caches.stream().map(histogram).toList());
  }

  Buckets lives() {
    return Buckets.lives(caches.stream().map(CacheStats::lifetimes).toList());
  }
}
