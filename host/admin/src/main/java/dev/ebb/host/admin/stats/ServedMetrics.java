package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.config.server.ServerConfig;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.hint.HintStats;
import dev.ebb.host.http.Json;
import dev.ebb.host.kvevents.KvEventPublisher;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.GroupObjects;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.tier.DiskStore;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

public final class ServedMetrics implements MetricSource {

  private static final int MOST_TENANTS = 100;

  private final ServerContext served;

  public ServedMetrics(ServerContext served) {
    this.served = served;
  }

  @Override
  public void write(MetricSink sink) {
    ObjectStore store = served.store();
    StoreStats numbers = store.stats();
    EngineStats engine = served.engine();
    sink.all(numbers);
    sink.put("ebb_re_prefill_ratio", numbers.evicted() == 0 ? Double.NaN : numbers.rePrefillRate());
    for (EntryState state : EntryState.values()) {
      sink.count("ebb_entries", numbers.states().getOrDefault(state, 0L), Json.word(state));
    }
    sink.put("ebb_pool_occupancy_ratio", (double) numbers.usedBytes() / numbers.capacityBytes());
    List<Histogram> allocations = new ArrayList<>(List.of(numbers.allocating()));
    if (engine != null) {
      engine.devices().forEach(device -> allocations.add(device.obtainingNanos()));
    }
    sink.put("ebb_allocation_seconds", Buckets.latencies(allocations));
    sink.put("ebb_fairness_ratio", UseStats.fairness(store.tenants()));
    List<GroupObjects> groups = store.groups();
    if (!groups.isEmpty()) {
      sink.all(numbers.hybrid());
    }
    groups.forEach(each ->
        sink.all(each, each.use().name(), Integer.toString(each.group()), each.kind().toString()));
    store.tenants().forEach(tenant -> tenant(sink, tenant));
    store.partitions().forEach(part -> part(sink, part));
    CacheMetrics.write(sink, CacheTotals.of(served));
    String notAdmitted = Json.word(RemovalCause.NOT_ADMITTED);
    sink.count("ebb_removals_total", numbers.notAdmitted(), notAdmitted);
    sink.count("ebb_removed_bytes_total", numbers.notAdmittedBytes(), notAdmitted);
    sink.all(served.resp().stats());
    hints(sink, served.resp().hints().stats());
    KvEventPublisher kvEvents = served.kvEvents();
    if (kvEvents != null) {
      sink.all(kvEvents.stats());
    }
    DiskStore disk = served.disk();
    if (disk != null) {
      CacheMetrics.disk(sink, disk.stats());
    }
    if (engine != null) {
      EngineMetrics.sequences(sink, engine);
      for (DeviceStats device : engine.devices()) {
        sink.all(device, ServerConfig.SEQUENCES_PART);
        device
            .cache()
            .gauges()
            .forEach((gauge, value) ->
                sink.put("ebb_policy_gauge", value, ServerConfig.SEQUENCES_PART, gauge));
      }
    }
    served.metrics().forEach(source -> source.write(sink));
    ClusterView cluster = served.cluster();
    if (cluster != null) {
      ClusterMetrics.write(sink, cluster);
      sink.count("ebb_cluster_unanswered_commands_total", served.resp().stats().remoteFailures());
    }
  }

  private static void tenant(MetricSink sink, UseStats tenant) {
    String name = tenant.name();
    sink.all(tenant, name);
    tenant
        .removals()
        .forEach((cause, count) ->
            sink.count("ebb_tenant_removals_total", count, name, Json.word(cause)));
  }

  private static void part(MetricSink sink, PartitionStats part) {
    CacheStats cache = part.cache();
    String name = part.name();
    sink.all(part, name);
    long evictableBytes = cache.evictableBlocks() * ObjectStore.UNIT_BYTES;
    sink.count("ebb_pool_evictable_bytes", evictableBytes, name);
    cache.gauges().forEach((gauge, value) -> sink.put("ebb_policy_gauge", value, name, gauge));
  }

  private static void hints(MetricSink sink, HintStats hints) {
    hints
        .actions()
        .forEach((type, outcomes) ->
            outcomes.forEach((outcome, count) ->
                sink.count("ebb_hint_actions_total", count, type, outcome.toString())));
    // Clients choose the names.
    hints.retainedTokens().entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(MOST_TENANTS)
        .forEach(each -> sink.count("ebb_hint_retained_tokens", each.getValue(), each.getKey()));
    sink.count("ebb_hint_retained_tokens_limit", hints.maxRetainedTokens());
  }
}
