package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.spi.RemovalCause;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Totals over the caches of all partitions. */
public record CacheTotals(List<Sized> parts) {

  private static final CacheStats.Amount NONE = new CacheStats.Amount(0, 0);

  /** A cache, and the memory of its blocks. */
  public record Sized(CacheStats cache, long blockBytes) {

    Amount bytes(CacheStats.Amount amount) {
      return new Amount(amount.entries(), amount.blocks() * blockBytes);
    }
  }

  /** Some entries, and their memory. */
  public record Amount(long entries, long bytes) {

    private Amount plus(Amount other) {
      return new Amount(entries + other.entries, bytes + other.bytes);
    }
  }

  static CacheTotals of(EngineStats engine) {
    return new CacheTotals(
        engine.devices().stream()
            .map(device -> new Sized(device.cache(), device.entryBytes()))
            .toList());
  }

  static CacheTotals of(List<PartitionStats> partitions) {
    return new CacheTotals(
        partitions.stream()
            .map(partition -> new Sized(partition.cache(), ObjectStore.UNIT_BYTES))
            .toList());
  }

  /** Returns the caches of a server: those of values, and that of sequences if there is one. */
  static CacheTotals of(ServerContext served) {
    CacheTotals values = of(served.store().partitions());
    EngineStats engine = served.engine();
    return engine == null
        ? values
        : new CacheTotals(
            Stream.of(values, of(engine)).flatMap(each -> each.parts.stream()).toList());
  }

  public List<CacheStats> caches() {
    return parts.stream().map(Sized::cache).toList();
  }

  long sum(ToLongFunction<CacheStats> number) {
    return caches().stream().mapToLong(number).sum();
  }

  long threads(ToLongFunction<PolicyThreadStats> number) {
    return sum(cache -> number.applyAsLong(cache.thread()));
  }

  Amount evictions(EvictedBy by) {
    return total(cache -> cache.evictions().getOrDefault(by, NONE));
  }

  Map<String, Map<EvictedBy, Amount>> evictionsByPolicy() {
    Map<String, Map<EvictedBy, Amount>> sums = new TreeMap<>();
    for (Sized part : parts) {
      part.cache()
          .evictionsByPolicy()
          .forEach((policy, amounts) -> {
            Map<EvictedBy, Amount> sum =
                sums.computeIfAbsent(policy, any -> new EnumMap<>(EvictedBy.class));
            amounts.forEach((by, amount) -> sum.merge(by, part.bytes(amount), Amount::plus));
          });
    }
    return sums;
  }

  Amount removals(RemovalCause cause) {
    return total(cache -> cache.removals().getOrDefault(cause, NONE));
  }

  private Amount total(Function<CacheStats, CacheStats.Amount> amount) {
    return parts.stream()
        .map(part -> part.bytes(amount.apply(part.cache())))
        .reduce(new Amount(0, 0), Amount::plus);
  }

  Buckets lives() {
    return Buckets.lives(caches().stream().map(CacheStats::lifetimes).toList());
  }
}
