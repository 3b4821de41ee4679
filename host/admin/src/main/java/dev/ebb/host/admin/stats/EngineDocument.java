package dev.ebb.host.admin.stats;

import dev.ebb.host.admin.advice.Advice;
import dev.ebb.host.admin.rollout.CanaryDocument;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.config.EvictionConfig;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.engine.stats.OffloadStats;
import dev.ebb.host.engine.stats.ReclaimCounters;
import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.engine.tier.RemoteTierStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.View;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.rules.RulesReport;
import dev.ebb.host.runtime.PolicyRuntime;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of an engine. The property names are those of a server where both report the same
 * value. Counts are since the start.
 *
 * @param remote pages shared with other engines through a server; null without one
 * @param fairness Jain's index over tenants' shares of cached prompt tokens; null while no tenant
 *     has any
 */
public record EngineDocument(
    Server server,
    Policy policy,
    Pool pool,
    Sequences sequences,
    @Nullable RequestsDocument requests,
    Tokens tokens,
    Entries entries,
    Evictions evictions,
    ReclaimCounters reclaim,
    OffloadStats offload,
    @Nullable RemoteTierStats remote,
    List<Part> partitions,
    List<Tenant> tenants,
    List<TierDocument> tiers,
    @Nullable Double fairness,
    Jvm jvm,
    List<Advice> advice)
    implements ProcessDocument {

  @Override
  public CanaryDocument.Traffic requested() {
    return new CanaryDocument.Traffic(
        tokens.prompt(), tokens.matched(), tokens.prompt(), tokens.matched());
  }

  /**
   * The active policy.
   *
   * @param chosen the policy that {@code auto} uses now; null if {@code auto} is not active
   * @param rule the rule that activated the policy; null if none did
   * @param gauges the policy's own gauges, for the first device
   */
  public record Policy(
      String name,
      @Nullable String chosen,
      String configured,
      @Nullable String rule,
      boolean rulesPaused,
      Map<String, Double> gauges,
      long faults)
      implements Active {}

  /** Open sequences and the results of finished ones. */
  public record Sequences(
      long open, long opened, long forked, long finished, long aborted, long preempted) {

    static Sequences of(EngineStats stats) {
      return new Sequences(
          stats.openSequences(),
          stats.sum(device -> device.traffic().opened()),
          stats.sum(device -> device.traffic().forked()),
          stats.sum(device -> device.traffic().finished()),
          stats.sum(device -> device.traffic().aborted()),
          stats.sum(device -> device.traffic().preempted()));
    }
  }

  /**
   * Tokens of all prompts, cached tokens, and their ratio; null before the first prompt.
   *
   * @param disk cached tokens that were read from the disk
   * @param remote cached tokens that were read from the server that engines share
   */
  public record Tokens(
      long prompt, long matched, long disk, long remote, @Nullable Double hitRatio) {

    static Tokens of(EngineStats stats) {
      long prompt = stats.sum(device -> device.traffic().promptTokens());
      long matched = stats.sum(device -> device.traffic().matchedTokens());
      long disk = stats.sum(device -> device.traffic().diskTokens());
      long remote = stats.sum(device -> device.traffic().remoteTokens());
      return new Tokens(
          prompt, matched, disk, remote, prompt == 0 ? null : (double) matched / prompt);
    }
  }

  /**
   * Cached blocks by state, and those that were cached since the start.
   *
   * @param reused blocks that open sequences use
   * @param pinned blocks that operators have pinned, with all before them
   */
  public record Entries(
      long active, long reused, long pinned, long evicted, long expired, long removed) {

    static Entries of(EngineStats stats) {
      CacheTotals caches = CacheTotals.of(stats);
      long reused = stats.sum(DeviceStats::reusedEntries);
      long evicted = caches.removals(RemovalCause.EVICTED).entries();
      long expired = caches.removals(RemovalCause.EXPIRED).entries();
      long gone =
          Arrays.stream(RemovalCause.values())
              .mapToLong(cause -> caches.removals(cause).entries())
              .sum();
      return new Entries(
          caches.sum(CacheStats::entries) - reused,
          reused,
          stats.sum(DeviceStats::pinnedEntries),
          evicted,
          expired,
          gone - evicted - expired);
    }
  }

  /** Evictions. A cached block with all its lane groups counts as one entry. */
  public record Evictions(
      long entries,
      long bytes,
      long tokens,
      long background,
      long demand,
      long passes,
      long prematureEvictions,
      int prematureEvictionWindow,
      @Nullable Double rePrefillRate) {}

  /** Prompt tokens and cached prompt tokens of a tenant. */
  public record Tenant(String name, long prompt, long matched) {}

  /** A device. */
  public record Part(
      String name,
      long capacityBytes,
      long usedBytes,
      long evictableBytes,
      long entries,
      long evicted,
      String policy)
      implements Partition {}

  /** Returns the current statistics. */
  public static EngineDocument of(
      EngineStats stats,
      PolicyRuntime runtime,
      RequestLatencies recent,
      KvLayout layout,
      TierFigures tiers,
      List<Advice> advice) {
    int blockTokens = layout.blockTokens();
    RequestStats requests = stats.requests();
    EvictionConfig eviction = runtime.config().config().eviction();
    long capacity = stats.sum(DeviceStats::capacityBytes);
    long used = stats.sum(DeviceStats::usedBytes);
    return new EngineDocument(
        Server.now(stats.open()),
        policy(stats, runtime, eviction.policy().name()),
        new Pool(
            capacity,
            used,
            (double) used / capacity,
            eviction.threshold(),
            eviction.target(),
            stats.devices().stream().allMatch(DeviceStats::onDemand)),
        Sequences.of(stats),
        requests == null ? null : RequestsDocument.of(requests, recent),
        Tokens.of(stats),
        Entries.of(stats),
        evictions(stats, blockTokens),
        reclaim(stats),
        stats.offload(),
        stats.remote(),
        stats.devices().stream().map(EngineDocument::part).toList(),
        stats.tenants().stream().map(EngineDocument::tenant).toList(),
        tiers.tiers(TierDocument.memory(stats, layout)),
        Json.known(stats.fairness()),
        Jvm.now(),
        advice);
  }

  private static Policy policy(EngineStats stats, PolicyRuntime runtime, String configured) {
    long faults =
        stats.sum(device -> device.cache().faults().values().stream().mapToLong(n -> n).sum());
    RulesReport rules = runtime.rules().report();
    return new Policy(
        runtime.policy(),
        runtime.chosen(),
        configured,
        rules.active(),
        rules.paused(),
        new TreeMap<>(stats.devices().getFirst().cache().gauges()),
        faults);
  }

  private static Evictions evictions(EngineStats stats, int blockTokens) {
    CacheTotals caches = CacheTotals.of(stats);
    long entries = stats.sum(DeviceStats::evictedEntries);
    long premature = stats.sum(DeviceStats::prematureEvictions);
    return new Evictions(
        entries,
        stats.sum(DeviceStats::evictedBytes),
        entries * blockTokens,
        caches.evictions(EvictedBy.BACKGROUND).entries(),
        caches.evictions(EvictedBy.DEMAND).entries(),
        caches.sum(CacheStats::passes),
        premature,
        (int) stats.sum(DeviceStats::ghostWindow),
        Json.known((double) premature / entries));
  }

  private static ReclaimCounters reclaim(EngineStats stats) {
    return stats.devices().stream()
        .map(DeviceStats::reclaim)
        .reduce(ReclaimCounters::plus)
        .orElseThrow();
  }

  private static Part part(DeviceStats device) {
    return View.of(Part.class, device, device.cache())
        .with("name", device.device())
        .with("evicted", device.evictedEntries())
        .get();
  }

  private static Tenant tenant(EngineStats.Tenant tenant) {
    return new Tenant(tenant.name(), tenant.promptTokens(), tenant.matchedTokens());
  }
}
