package dev.ebb.host.admin.stats;

import dev.ebb.host.admin.advice.Advisor;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.Routes;
import dev.ebb.host.http.View;
import dev.ebb.host.resp.net.RespStats;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.tier.DiskStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

public final class Stats {

  private final ServerContext served;
  private final Advisor advisor;
  private final RecentLatency reading = new RecentLatency();
  private final RecentLatency storing = new RecentLatency();
  private final RecentLatency evicting = new RecentLatency();
  private final TierFigures tiers;

  public Stats(ServerContext served, Advisor advisor) {
    this.served = served;
    this.advisor = advisor;
    DiskStore disk = served.disk();
    tiers = new TierFigures(() -> disk == null ? null : disk.stats());
  }

  public void addTo(Routes routes) {
    TierFigures.addTo(routes, () -> document().tiers());
  }

  /** Ends a measuring interval. */
  void step() {
    StoreStats numbers = served.store().stats();
    reading.step(numbers.handingOut());
    storing.step(numbers.storing());
    evicting.step(passes(CacheTotals.of(served)));
    tiers.step();
  }

  public StatsDocument document() {
    ObjectStore store = served.store();
    StoreStats numbers = store.stats();
    List<PartitionStats> parts = store.partitions();
    CacheTotals caches = CacheTotals.of(served);
    RespStats resp = served.resp().stats();
    EngineStats engine = served.engine();
    EvictionConfig eviction = served.runtime().config().config().eviction();
    return new StatsDocument(
        ProcessDocument.Server.now(resp.accepting()),
        policy(caches, eviction),
        new ProcessDocument.Pool(
            numbers.capacityBytes(),
            numbers.usedBytes(),
            (double) numbers.usedBytes() / numbers.capacityBytes(),
            eviction.threshold(),
            eviction.target(),
            false),
        keys(numbers),
        traffic(numbers),
        new StatsDocument.Clients(resp.connections(), resp.connectionsEver(), resp.commands()),
        ProcessDocument.Jvm.now(),
        evictions(numbers, caches, engine),
        Stream.concat(parts.stream().map(Stats::part), sequences(engine)).toList(),
        tiers.tiers(TierDocument.memory(numbers)),
        store.tenants().stream().map(StatsDocument.Use::of).toList(),
        store.models().stream().map(StatsDocument.Use::of).toList(),
        StatsDocument.Hybrid.of(numbers.hybrid(), store.groups()),
        engine == null ? null : EngineDocument.Sequences.of(engine),
        engine == null ? null : EngineDocument.Tokens.of(engine),
        Json.known(UseStats.fairness(store.tenants())),
        new StatsDocument.Latencies(
            reading.took(numbers.handingOut()),
            storing.took(numbers.storing()),
            evicting.took(passes(caches))),
        cluster(),
        advisor.advice());
  }

  private @Nullable ClusterStats cluster() {
    ClusterView cluster = served.cluster();
    return cluster == null ? null : cluster.stats();
  }

  private static Histogram passes(CacheTotals caches) {
    return caches.caches().stream()
        .map(CacheStats::passNanos)
        .reduce(new Histogram(), Histogram::plus);
  }

  private StatsDocument.Policy policy(CacheTotals caches, EvictionConfig eviction) {
    RulesReport rules = served.runtime().rules().report();
    Map<String, Long> faults = new TreeMap<>();
    caches
        .caches()
        .forEach(cache ->
            cache
                .faults()
                .forEach((kind, count) -> faults.merge(Json.word(kind), count, Long::sum)));
    return new StatsDocument.Policy(
        served.runtime().policy(),
        served.runtime().chosen(),
        eviction.policy().name(),
        rules.active(),
        rules.paused(),
        new TreeMap<>(caches.caches().getFirst().gauges()),
        faults,
        caches.threads(thread -> thread.queuedEvents()),
        caches.threads(thread -> thread.abandoned()));
  }

  private static StatsDocument.Keys keys(StoreStats store) {
    Map<String, Long> states = new TreeMap<>();
    store.states().forEach((state, count) -> states.put(Json.word(state), count));
    return View.of(StatsDocument.Keys.class, store)
        .with("count", store.keys())
        .with("states", states)
        .get();
  }

  private static StatsDocument.Traffic traffic(StoreStats store) {
    return View.of(StatsDocument.Traffic.class, store)
        .with("hitRatio", (double) store.hits() / (store.hits() + store.misses()))
        .with("creations", store.stored())
        .get();
  }

  private static StatsDocument.Evictions evictions(
      StoreStats store, CacheTotals caches, @Nullable EngineStats engine) {
    long ofBlocks = engine == null ? 0 : engine.sum(DeviceStats::evictedEntries);
    long bytesOfBlocks = engine == null ? 0 : engine.sum(DeviceStats::evictedBytes);
    long prematureEvictions = store.prematureEvictions().count();
    return new StatsDocument.Evictions(
        store.evicted() + ofBlocks,
        store.evictedBytes() + bytesOfBlocks,
        caches.evictions(EvictedBy.BACKGROUND).entries(),
        caches.evictions(EvictedBy.DEMAND).entries(),
        caches.evictions(EvictedBy.FALLBACK).entries(),
        caches.sum(CacheStats::passes),
        caches.threads(thread -> thread.waits()),
        prematureEvictions,
        store.prematureEvictions().window(),
        store.evicted() == 0 ? null : Json.known(store.rePrefillRate()),
        Json.known(store.prematureEvictions().gapSeconds() / prematureEvictions));
  }

  /** Returns the memory of sequences, whose hits and misses are tokens of prompts. */
  private static Stream<StatsDocument.Part> sequences(@Nullable EngineStats engine) {
    return engine == null ? Stream.empty() : engine.devices().stream().map(Stats::part);
  }

  private static StatsDocument.Part part(DeviceStats device) {
    long matched = device.traffic().matchedTokens();
    return View.of(StatsDocument.Part.class, device, device.cache())
        .with("name", ServerConfig.SEQUENCES_PART)
        .with("keys", device.cache().entries())
        .with("hits", matched)
        .with("misses", device.traffic().promptTokens() - matched)
        .with("evicted", device.evictedEntries())
        .with("gauges", new TreeMap<>(device.cache().gauges()))
        .get();
  }

  private static StatsDocument.Part part(PartitionStats part) {
    return View.of(StatsDocument.Part.class, part, part.numbers(), part.cache())
        .with("evictableBytes", part.cache().evictableBlocks() * ObjectStore.UNIT_BYTES)
        .with("gauges", new TreeMap<>(part.cache().gauges()))
        .get();
  }
}
