package dev.ebb.host.admin.stats;

import dev.ebb.host.admin.advice.Advice;
import dev.ebb.host.admin.rollout.CanaryDocument;
import dev.ebb.host.cluster.ClusterStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.http.View;
import dev.ebb.host.store.key.GroupObjects;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.stats.HitSources;
import dev.ebb.host.store.stats.HybridStats;
import dev.ebb.host.store.stats.LeaseStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of a server. Sizes are in bytes, times in seconds, ratios from 0 to 1; unknown
 * values are null.
 *
 * @param hybrid models with several object groups; null if there are none
 * @param sequences those of engines in other processes; null if there are none
 * @param tokens prompts of these sequences; null if there are none
 * @param fairness Jain's index over tenants' hit ratios; null while no tenant is known
 */
public record StatsDocument(
    Server server,
    Policy policy,
    Pool pool,
    Keys keys,
    Traffic traffic,
    Clients clients,
    Jvm jvm,
    Evictions evictions,
    List<Part> partitions,
    List<TierDocument> tiers,
    List<Use> tenants,
    List<Use> models,
    @Nullable Hybrid hybrid,
    EngineDocument.@Nullable Sequences sequences,
    EngineDocument.@Nullable Tokens tokens,
    @Nullable Double fairness,
    Latencies latencies,
    @Nullable ClusterStats cluster,
    List<Advice> advice)
    implements ProcessDocument {

  @Override
  public CanaryDocument.Traffic requested() {
    return new CanaryDocument.Traffic(
        keys.chains().lookups(),
        keys.chains().hits(),
        traffic.hits() + traffic.misses(),
        traffic.hits());
  }

  /**
   * Latencies of operations.
   *
   * @param reading from the request until the last byte is passed to the connection
   * @param storing from the first byte of a value until it is visible
   */
  public record Latencies(Took reading, Took storing, Took evicting) {}

  /**
   * The latency of an operation.
   *
   * @param count number of measurements since the start
   * @param p50 median of the last two seconds; null without measurements
   * @param p99 99th percentile of the last two seconds; null without measurements
   */
  public record Took(long count, double seconds, @Nullable Double p50, @Nullable Double p99) {}

  /**
   * The active policy.
   *
   * @param chosen the policy that {@code auto} uses now; null if {@code auto} is not active
   * @param configured the configured policy; differs from the active one after a fault or while a
   *     rule is active
   * @param abandonedThreads threads abandoned because their policy call did not return
   */
  public record Policy(
      String name,
      @Nullable String chosen,
      String configured,
      @Nullable String rule,
      boolean rulesPaused,
      Map<String, Double> gauges,
      Map<String, Long> faults,
      long queuedEvents,
      long abandonedThreads)
      implements Active {}

  /** The cache use of a tenant or a model. */
  public record Use(
      String name,
      long hits,
      long misses,
      long entries,
      long usedBytes,
      long evicted,
      long evictedBytes,
      Map<String, Long> removals) {

    static Use of(UseStats use) {
      Map<String, Long> removals = new TreeMap<>();
      use.removals().forEach((cause, count) -> removals.put(Json.word(cause), count));
      removals.values().removeIf(count -> count == 0);
      return View.of(Use.class, use).with("removals", removals).get();
    }
  }

  /**
   * Models with several object groups.
   *
   * @param usedBytes pool memory of their objects
   * @param uselessBytes the part of it that no prompt can use, as it was measured last
   * @param lostHits chunks that were found with all before them, and that the objects of other
   *     groups could not serve
   * @param thinned objects that were evicted while their chunk stayed
   * @param useless chunks that were evicted because no prompt could go on after them
   */
  public record Hybrid(
      long usedBytes,
      long uselessBytes,
      long lostHits,
      long thinned,
      long thinnedBytes,
      long useless,
      long evictedUselessBytes,
      List<Group> groups) {

    static @Nullable Hybrid of(HybridStats stats, List<GroupObjects> uses) {
      return uses.isEmpty()
          ? null
          : View.of(Hybrid.class, stats)
              .with("usedBytes", uses.stream().mapToLong(each -> each.use().usedBytes()).sum())
              .with("groups", uses.stream().map(Group::of).toList())
              .get();
    }
  }

  /**
   * The objects of one group of a model.
   *
   * @param kind {@code full}, {@code state}, or {@code window=CHUNKS}
   */
  public record Group(
      String model,
      int group,
      String kind,
      long objects,
      long usedBytes,
      long hits,
      long misses,
      long evicted,
      long evictedBytes) {

    static Group of(GroupObjects each) {
      return View.of(Group.class, each, each.use())
          .with("model", each.use().name())
          .with("kind", each.kind().toString())
          .with("objects", each.use().entries())
          .get();
    }
  }

  /**
   * The entries of the cache.
   *
   * @param leases entries that lookups found and that wait to be read
   * @param chains the order of chunks in prompts, as far as it is known
   * @param states entries in each state; for final states, entries since the start
   */
  public record Keys(
      long count,
      long expiring,
      long pinned,
      long pinnedBytes,
      LeaseStats leases,
      ChainStats chains,
      long reading,
      Map<String, Long> states) {}

  /**
   * Evictions since the start.
   *
   * @param fallback evictions that the host chose because the policy did not answer
   * @param prematureEvictions evicted entries that were requested again shortly afterwards
   * @param prematureEvictionWindow how many evicted entries are remembered to detect that
   * @param rePrefillRate fraction of evicted entries that were requested again; null before the
   *     first eviction
   * @param prematureEvictionGapSeconds mean time from eviction to the next request; null before the
   *     first
   */
  public record Evictions(
      long entries,
      long bytes,
      long background,
      long demand,
      long fallback,
      long passes,
      long waits,
      long prematureEvictions,
      int prematureEvictionWindow,
      @Nullable Double rePrefillRate,
      @Nullable Double prematureEvictionGapSeconds) {}

  /**
   * A partition of the pool.
   *
   * @param tenant the tenant of the partition; null for the shared partition
   */
  public record Part(
      String name,
      @Nullable String tenant,
      long capacityBytes,
      long usedBytes,
      long evictableBytes,
      long keys,
      long hits,
      long misses,
      long evicted,
      String policy,
      Map<String, Double> gauges)
      implements Partition {}

  /**
   * Requests of clients since the start.
   *
   * @param hits requested values that clients received, from memory or elsewhere
   * @param sources the hits that memory did not have
   */
  public record Traffic(
      long hits,
      long misses,
      @Nullable Double hitRatio,
      HitSources sources,
      long creations,
      long evicted,
      long expired,
      long notAdmitted,
      long bytesRead,
      long bytesWritten) {}

  public record Clients(int connections, long connectionsEver, long commands) {}
}
