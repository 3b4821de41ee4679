package dev.ebb.host.engine;

import dev.ebb.host.admin.ProcessDocument;
import dev.ebb.host.admin.RuntimeConfig;
import dev.ebb.host.cache.CacheStats;
import dev.ebb.host.cache.EvictedBy;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.http.Json;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** Fills in the document of an engine. */
final class EngineStats {

  private final Engine engine;
  private final RuntimeConfig config;

  EngineStats(Engine engine, RuntimeConfig config) {
    this.engine = engine;
    this.config = config;
  }

  EngineDocument document() {
    EvictionConfig eviction = config.config().eviction();
    boolean ready = engine.isOpen();
    return engine.locked(() -> document(eviction, ready));
  }

  private EngineDocument document(EvictionConfig eviction, boolean ready) {
    List<CacheStats> caches =
        engine.partitions.stream().map(partition -> partition.cache.stats()).toList();
    long capacity = sum(partition -> bytes(partition, partition.pool.blocks()));
    long used = sum(EngineStats::usedBytes);
    TenantTokens tenants = tenants(engine);
    return new EngineDocument(
        ProcessDocument.Server.now(ready),
        new EngineDocument.Policy(
            caches.getFirst().policy(),
            eviction.policy().name(),
            caches.stream()
                .flatMap(cache -> cache.faults().values().stream())
                .mapToLong(Long::longValue)
                .sum()),
        new EngineDocument.Pool(
            capacity, used, (double) used / capacity, eviction.threshold(), eviction.target()),
        new EngineDocument.Sequences(
            engine.sequences.size(),
            sum(partition -> partition.traffic.opened),
            sum(partition -> partition.traffic.forked),
            sum(partition -> partition.traffic.finished),
            sum(partition -> partition.traffic.aborted),
            sum(partition -> partition.traffic.preempted)),
        tokens(),
        evictions(caches),
        shortage(),
        engine.partitions.stream().map(EngineStats::part).toList(),
        tenants.documents(),
        Json.known(tenants.fairness()),
        ProcessDocument.Jvm.now());
  }

  static TenantTokens tenants(Engine engine) {
    TenantTokens all = new TenantTokens();
    engine.partitions.forEach(partition -> all.add(partition.traffic.tenants));
    return all;
  }

  private EngineDocument.Tokens tokens() {
    long prompt = sum(partition -> partition.traffic.promptTokens);
    long matched = sum(partition -> partition.traffic.matchedTokens);
    return new EngineDocument.Tokens(
        prompt, matched, prompt == 0 ? null : (double) matched / prompt);
  }

  private EngineDocument.Evictions evictions(List<CacheStats> caches) {
    long entries = sum(partition -> partition.cache.evictions());
    List<GhostWindow> ghosts =
        engine.partitions.stream().map(partition -> partition.cache.ghosts()).toList();
    long regrets = ghosts.stream().mapToLong(GhostWindow::askedAgain).sum();
    return new EngineDocument.Evictions(
        entries,
        sum(partition -> bytes(partition, partition.evictedBlocks())),
        entries * engine.layout().blockTokens(),
        by(caches, EvictedBy.BACKGROUND),
        by(caches, EvictedBy.DEMAND),
        caches.stream().mapToLong(CacheStats::passes).sum(),
        regrets,
        ghosts.stream().mapToInt(GhostWindow::length).sum(),
        Json.known((double) regrets / entries));
  }

  private static long by(List<CacheStats> caches, EvictedBy account) {
    return caches.stream()
        .map(cache -> cache.evictions().get(account))
        .filter(Objects::nonNull)
        .mapToLong(CacheStats.Amount::entries)
        .sum();
  }

  private ShortageCounters shortage() {
    return engine.partitions.stream()
        .map(partition -> partition.shortage.counters())
        .reduce(ShortageCounters::plus)
        .orElseThrow();
  }

  private static EngineDocument.Part part(DevicePartition partition) {
    return new EngineDocument.Part(
        partition.name(),
        bytes(partition, partition.pool.blocks()),
        usedBytes(partition),
        bytes(partition, partition.evictableBlocks()),
        partition.cache.residentEntries(),
        partition.cache.evictions(),
        partition.cache.policyName());
  }

  static long usedBytes(DevicePartition partition) {
    return bytes(partition, partition.pool.blocks() - partition.pool.freeBlocks());
  }

  static long bytes(DevicePartition partition, long blocks) {
    return blocks * partition.layout().blockBytes();
  }

  private long sum(ToLongFunction<DevicePartition> number) {
    return engine.partitions.stream().mapToLong(number).sum();
  }
}
