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
import dev.ebb.host.kvevents.KvEventStats;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.resp.net.RespStats;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.GroupObjects;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.HybridStats;
import dev.ebb.host.store.stats.LeaseStats;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.tier.DiskStore;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Metrics of a process that serves clients. */
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
    List<PartitionStats> parts = store.partitions();
    EngineStats engine = served.engine();
    traffic(sink, numbers);
    List<Histogram> allocations = new ArrayList<>(List.of(numbers.allocating()));
    if (engine != null) {
      engine.devices().forEach(device -> allocations.add(device.obtainingNanos()));
    }
    sink.put("ebb_allocation_seconds", Buckets.latencies(allocations));
    content(sink, numbers);
    sink.put("ebb_fairness_ratio", UseStats.fairness(store.tenants()));
    hybrid(sink, numbers.hybrid(), store.groups());
    store.tenants().forEach(tenant -> tenant(sink, tenant));
    parts.forEach(part -> part(sink, part));
    CacheMetrics.write(sink, CacheTotals.of(served));
    String notAdmitted = Json.word(RemovalCause.NOT_ADMITTED);
    sink.count("ebb_removals_total", numbers.notAdmitted(), notAdmitted);
    sink.count("ebb_removed_bytes_total", numbers.notAdmittedBytes(), notAdmitted);
    resp(sink, served.resp().stats());
    hints(sink, served.resp().hints().stats());
    KvEventPublisher kvEvents = served.kvEvents();
    if (kvEvents != null) {
      kvEvents(sink, kvEvents.stats());
    }
    DiskStore disk = served.disk();
    if (disk != null) {
      DiskMetrics.write(sink, disk.stats());
    }
    if (engine != null) {
      EngineMetrics.sequences(sink, engine);
      for (DeviceStats device : engine.devices()) {
        EngineMetrics.device(sink, device, ServerConfig.SEQUENCES_PART);
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

  private static void kvEvents(MetricSink sink, KvEventStats kvEvents) {
    sink.count("ebb_kv_events_total", kvEvents.events());
    sink.count("ebb_kv_events_dropped_total", kvEvents.dropped());
    sink.count("ebb_kv_events_queued", kvEvents.queued());
    sink.count("ebb_kv_event_batches_total", kvEvents.batches());
    sink.count("ebb_kv_event_replays_total", kvEvents.replays());
    sink.count("ebb_kv_events_without_tokens_total", kvEvents.withoutTokens());
    sink.count("ebb_kv_token_blocks", kvEvents.blocks());
    sink.count("ebb_kv_token_bytes", kvEvents.tokenBytes());
    sink.count("ebb_kv_source_events_total", kvEvents.sources().events());
    sink.count("ebb_kv_source_rejected_total", kvEvents.sources().rejected());
    sink.count("ebb_kv_source_gaps_total", kvEvents.sources().gaps());
  }

  private static void traffic(MetricSink sink, StoreStats store) {
    sink.count("ebb_hits_total", store.hits());
    sink.count("ebb_misses_total", store.misses());
    sink.count("ebb_creations_total", store.stored());
    sink.count("ebb_read_bytes_total", store.bytesRead());
    sink.count("ebb_written_bytes_total", store.bytesWritten());
    sink.put("ebb_storage_seconds", Buckets.latencies(List.of(store.storing())));
    sink.put("ebb_read_seconds", Buckets.latencies(List.of(store.handingOut())));
    sink.count("ebb_reading", store.reading());
    sink.count("ebb_not_admitted_total", store.notAdmitted());
    sink.count("ebb_premature_evictions_total", store.prematureEvictions().count());
    sink.count("ebb_premature_eviction_bytes_total", store.prematureEvictions().bytes());
    sink.put("ebb_premature_eviction_gap_seconds_total", store.prematureEvictions().gapSeconds());
    sink.put("ebb_re_prefill_ratio", store.evicted() == 0 ? Double.NaN : store.rePrefillRate());
    sink.count("ebb_premature_eviction_window", store.prematureEvictions().window());
  }

  private static void content(MetricSink sink, StoreStats store) {
    sink.count("ebb_keys", store.keys());
    for (EntryState state : EntryState.values()) {
      long entries = store.states().getOrDefault(state, 0L);
      sink.count("ebb_entries", entries, Json.word(state));
    }
    sink.put("ebb_pool_occupancy_ratio", (double) store.usedBytes() / store.capacityBytes());
    sink.count("ebb_pinned_entries", store.pinned());
    sink.count("ebb_pinned_bytes", store.pinnedBytes());
    leases(sink, store.leases());
    chains(sink, store.chains());
  }

  private static void chains(MetricSink sink, ChainStats chains) {
    sink.count("ebb_prefix_requests_total", chains.requests());
    sink.count("ebb_prefix_lookups_total", chains.lookups());
    sink.count("ebb_prefix_hits_total", chains.hits());
    sink.count("ebb_prefix_hits_elsewhere_total", chains.hitsElsewhere());
    sink.count("ebb_chained_entries", chains.linked());
    sink.count("ebb_unreachable_entries", chains.unreachable());
    sink.count("ebb_unknown_chain_entries", chains.unknown());
    sink.count("ebb_chain_keys", chains.known());
    sink.count("ebb_chain_corrections_total", chains.withdrawn());
  }

  private static void hybrid(MetricSink sink, HybridStats hybrid, List<GroupObjects> groups) {
    if (groups.isEmpty()) {
      return;
    }
    sink.count("ebb_group_useless_bytes", hybrid.uselessBytes());
    sink.count("ebb_group_lost_hits_total", hybrid.lostHits());
    sink.count("ebb_group_thinned_objects_total", hybrid.thinned());
    sink.count("ebb_group_thinned_bytes_total", hybrid.thinnedBytes());
    sink.count("ebb_group_useless_evictions_total", hybrid.useless());
    sink.count("ebb_group_useless_evicted_bytes_total", hybrid.evictedUselessBytes());
    for (GroupObjects each : groups) {
      String model = each.use().name();
      String group = Integer.toString(each.group());
      String kind = each.kind().toString();
      sink.count("ebb_group_objects", each.use().entries(), model, group, kind);
      sink.count("ebb_group_used_bytes", each.use().usedBytes(), model, group, kind);
      sink.count("ebb_group_evicted_bytes_total", each.use().evictedBytes(), model, group, kind);
    }
  }

  private static void leases(MetricSink sink, LeaseStats leases) {
    sink.count("ebb_lookup_leases", leases.held());
    sink.count("ebb_lookup_lease_bytes", leases.heldBytes());
    sink.count("ebb_lookup_leases_ended_total", leases.read(), "read");
    sink.count("ebb_lookup_leases_ended_total", leases.removed(), "removed");
    sink.count("ebb_lookup_leases_ended_total", leases.expired(), "expired");
    sink.count("ebb_lookup_leases_refused_total", leases.refused());
  }

  private static void tenant(MetricSink sink, UseStats tenant) {
    String name = tenant.name();
    sink.count("ebb_tenant_hits_total", tenant.hits(), name);
    sink.count("ebb_tenant_misses_total", tenant.misses(), name);
    sink.count("ebb_tenant_used_bytes", tenant.usedBytes(), name);
    sink.count("ebb_tenant_evictions_total", tenant.evicted(), name);
    sink.count("ebb_tenant_evicted_bytes_total", tenant.evictedBytes(), name);
    tenant
        .removals()
        .forEach((cause, count) ->
            sink.count("ebb_tenant_removals_total", count, name, Json.word(cause)));
  }

  private static void part(MetricSink sink, PartitionStats part) {
    CacheStats cache = part.cache();
    String name = part.name();
    sink.count("ebb_pool_used_bytes", part.numbers().usedBytes(), name);
    sink.count("ebb_pool_capacity_bytes", part.numbers().capacityBytes(), name);
    sink.count("ebb_pool_evictable_bytes", bytes(cache.evictableBlocks()), name);
    sink.count("ebb_policy_queue_events", cache.thread().queuedEvents(), name);
    cache.gauges().forEach((gauge, value) -> sink.put("ebb_policy_gauge", value, name, gauge));
  }

  private static void resp(MetricSink sink, RespStats resp) {
    sink.count("ebb_connections", resp.connections());
    sink.count("ebb_connections_opened_total", resp.connectionsEver());
    sink.count("ebb_connections_closed_total", resp.rejected(), "max-clients");
    sink.count("ebb_connections_closed_total", resp.evicted(), "client-memory");
    sink.count("ebb_connections_closed_total", resp.stalled(), "stall-timeout");
    sink.count("ebb_connections_closed_total", resp.idle(), "idle-timeout");
    sink.count("ebb_connection_bytes", resp.memoryBytes());
    sink.count("ebb_failed_logins_total", resp.failedLogins());
    sink.count("ebb_commands_total", resp.commands());
    sink.count("ebb_ready", resp.accepting() ? 1 : 0);
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

  private static long bytes(long blocks) {
    return blocks * ObjectStore.UNIT_BYTES;
  }
}
