package dev.ebb.host.admin;

import dev.ebb.host.cache.Histogram;
import dev.ebb.host.store.UseStats;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The whole process in one document. Sizes are in bytes, times in seconds, ratios 0 to 1; what is
 * not known is null.
 *
 * @param evictions evictions, and how many of them were premature
 * @param tenants what each tenant makes of it, as far as keys say
 * @param models what each model makes of it, as far as keys say
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
    List<Use> tenants,
    List<Use> models,
    @Nullable Double fairness,
    Latencies latencies)
    implements ProcessDocument {

  /**
   * How long things took.
   *
   * @param reading from asking for a value to its last byte being handed to the connection
   * @param storing from the first byte of a value to its being visible
   */
  public record Latencies(Took reading, Took storing, Took evicting) {}

  /**
   * How long something took.
   *
   * @param count how often it was measured since the start
   * @param p50 in the last two seconds, half took no longer; null if nothing was measured in them
   * @param p99 in the last two seconds, one of a hundred took longer
   */
  public record Took(long count, double seconds, @Nullable Double p50, @Nullable Double p99) {

    static Took of(Histogram nanos, RecentLatency.@Nullable Quantiles recent) {
      return new Took(
          nanos.count(),
          nanos.sum() / 1e9,
          recent == null ? null : recent.p50(),
          recent == null ? null : recent.p99());
    }
  }

  /**
   * Who decides.
   *
   * @param configured the policy that was asked for; another one if that failed, or by a rule
   * @param rule the rule that has activated the policy; null if none has
   * @param rulesPaused whether rules decide nothing until they are resumed
   * @param gauges its inner state, by its own names, for the first part of the pool
   * @param faults how often a policy broke its contract, by kind
   * @param queuedEvents events that it has not been told of
   * @param abandonedThreads threads abandoned because their policy call did not return
   */
  public record Policy(
      String name,
      String configured,
      @Nullable String rule,
      boolean rulesPaused,
      Map<String, Double> gauges,
      Map<String, Long> faults,
      long queuedEvents,
      long abandonedThreads)
      implements Active {}

  /**
   * What a tenant, or a model, makes of the cache.
   *
   * @param removals entries that left, by cause, those causes that there were
   */
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
      use.removals().forEach((cause, count) -> removals.put(EvictionDocument.word(cause), count));
      removals.values().removeIf(count -> count == 0);
      return new Use(
          use.name(),
          use.hits(),
          use.misses(),
          use.entries(),
          use.usedBytes(),
          use.evicted(),
          use.evictedBytes(),
          removals);
    }
  }

  /**
   * What is in it.
   *
   * @param expiring those of them with a time to live
   * @param states entries in each state; of ends of a life, how many ever came there
   */
  public record Keys(
      long count,
      long expiring,
      long pinned,
      long pinnedBytes,
      long reading,
      Map<String, Long> states) {}

  /**
   * Who left, since the start.
   *
   * @param fallback those that the host chose because the policy did not answer
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
   * A part of the pool.
   *
   * @param tenant whose it is; null for everybody else's
   * @param gauges its inner state, by its own names
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
      Map<String, Double> gauges) {}

  /**
   * What clients did, since the start.
   *
   * @param hitRatio hits of both; null before the first
   * @param notAdmitted values not kept for want of room
   * @param bytesRead bytes of values handed out
   * @param bytesWritten bytes of values put
   */
  public record Traffic(
      long hits,
      long misses,
      @Nullable Double hitRatio,
      long creations,
      long evicted,
      long expired,
      long notAdmitted,
      long bytesRead,
      long bytesWritten) {}

  /**
   * Who they are.
   *
   * @param connections open ones
   * @param connectionsEver opened since the start
   * @param commands since the start
   */
  public record Clients(int connections, long connectionsEver, long commands) {}
}
