package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.CacheStats;
import dev.ebb.host.cluster.ClusterView;
import dev.ebb.host.http.Json;
import dev.ebb.host.kvevents.KvEventPublisher;
import dev.ebb.host.kvevents.KvEventStats;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.resp.RespStats;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.key.UseStats;
import dev.ebb.host.store.stats.ChainStats;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.LeaseStats;
import dev.ebb.host.store.stats.PartitionStats;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.spi.RemovalCause;
import java.util.List;

/** Metrics of a process that serves clients. */
public final class ServedMetrics implements MetricSource {

  private final ServerContext served;
  private final CacheMetrics caches = new CacheMetrics(ObjectStore.UNIT_BYTES);

  public ServedMetrics(ServerContext served) {
    this.served = served;
  }

  @Override
  public void write(MetricSink sink) {
    ObjectStore store = served.store();
    StoreStats numbers = store.stats();
    List<PartitionStats> parts = store.partitions();
    traffic(sink, numbers);
    content(sink, numbers);
    sink.put(Metric.FAIRNESS, store.fairness().orElse(Double.NaN));
    store.tenants().forEach(tenant -> tenant(sink, tenant));
    parts.forEach(part -> part(sink, part));
    caches.write(sink, parts.stream().map(PartitionStats::cache).toList());
    String notAdmitted = Json.word(RemovalCause.NOT_ADMITTED);
    sink.count(Metric.REMOVALS, numbers.notAdmitted(), notAdmitted);
    sink.count(Metric.REMOVED_BYTES, numbers.notAdmittedBytes(), notAdmitted);
    resp(sink, served.resp().stats());
    KvEventPublisher kvEvents = served.kvEvents();
    if (kvEvents != null) {
      kvEvents(sink, kvEvents.stats());
    }
    ClusterView cluster = served.cluster();
    if (cluster != null) {
      ClusterMetrics.write(sink, cluster);
      sink.count(Metric.CLUSTER_UNANSWERED, served.resp().stats().remoteFailures());
    }
  }

  private static void kvEvents(MetricSink sink, KvEventStats kvEvents) {
    sink.count(Metric.KV_EVENTS, kvEvents.events());
    sink.count(Metric.KV_EVENTS_DROPPED, kvEvents.dropped());
    sink.count(Metric.KV_EVENTS_QUEUED, kvEvents.queued());
    sink.count(Metric.KV_EVENT_BATCHES, kvEvents.batches());
    sink.count(Metric.KV_EVENT_REPLAYS, kvEvents.replays());
  }

  private static void traffic(MetricSink sink, StoreStats store) {
    sink.count(Metric.HITS, store.hits());
    sink.count(Metric.MISSES, store.misses());
    sink.count(Metric.CREATIONS, store.stored());
    sink.count(Metric.READ_BYTES, store.bytesRead());
    sink.count(Metric.WRITTEN_BYTES, store.bytesWritten());
    sink.put(Metric.STORAGE_SECONDS, Histograms.latencies(List.of(store.storing())));
    sink.put(Metric.READ_SECONDS, Histograms.latencies(List.of(store.handingOut())));
    sink.put(Metric.ALLOCATION_SECONDS, Histograms.latencies(List.of(store.allocating())));
    sink.count(Metric.READING, store.reading());
    sink.count(Metric.NOT_ADMITTED, store.notAdmitted());
    sink.count(Metric.PREMATURE_EVICTIONS, store.prematureEvictions().count());
    sink.count(Metric.PREMATURE_EVICTION_BYTES, store.prematureEvictions().bytes());
    sink.put(Metric.PREMATURE_EVICTION_GAP_SECONDS, store.prematureEvictions().gapSeconds());
    sink.put(Metric.RE_PREFILL, store.evicted() == 0 ? Double.NaN : store.rePrefillRate());
    sink.count(Metric.PREMATURE_EVICTION_WINDOW, store.prematureEvictions().window());
  }

  private static void content(MetricSink sink, StoreStats store) {
    sink.count(Metric.KEYS, store.keys());
    for (EntryState state : EntryState.values()) {
      long entries = store.states().getOrDefault(state, 0L);
      sink.count(Metric.ENTRIES, entries, Json.word(state));
    }
    sink.put(Metric.OCCUPANCY, (double) store.usedBytes() / store.capacityBytes());
    sink.count(Metric.PINNED, store.pinned());
    sink.count(Metric.PINNED_BYTES, store.pinnedBytes());
    leases(sink, store.leases());
    chains(sink, store.chains());
  }

  private static void chains(MetricSink sink, ChainStats chains) {
    sink.count(Metric.PREFIX_REQUESTS, chains.requests());
    sink.count(Metric.PREFIX_LOOKUPS, chains.lookups());
    sink.count(Metric.PREFIX_HITS, chains.hits());
    sink.count(Metric.CHAINED, chains.linked());
    sink.count(Metric.UNREACHABLE, chains.unreachable());
    sink.count(Metric.UNKNOWN_CHAINS, chains.unknown());
    sink.count(Metric.CHAIN_KEYS, chains.known());
    sink.count(Metric.CHAIN_CORRECTIONS, chains.withdrawn());
  }

  private static void leases(MetricSink sink, LeaseStats leases) {
    sink.count(Metric.LEASES, leases.held());
    sink.count(Metric.LEASE_BYTES, leases.heldBytes());
    sink.count(Metric.LEASES_ENDED, leases.read(), "read");
    sink.count(Metric.LEASES_ENDED, leases.removed(), "removed");
    sink.count(Metric.LEASES_ENDED, leases.expired(), "expired");
    sink.count(Metric.LEASES_REFUSED, leases.refused());
  }

  private static void tenant(MetricSink sink, UseStats tenant) {
    String name = tenant.name();
    sink.count(Metric.TENANT_HITS, tenant.hits(), name);
    sink.count(Metric.TENANT_MISSES, tenant.misses(), name);
    sink.count(Metric.TENANT_USED_BYTES, tenant.usedBytes(), name);
    sink.count(Metric.TENANT_EVICTIONS, tenant.evicted(), name);
    sink.count(Metric.TENANT_EVICTED_BYTES, tenant.evictedBytes(), name);
    tenant
        .removals()
        .forEach((cause, count) ->
            sink.count(Metric.TENANT_REMOVALS, count, name, Json.word(cause)));
  }

  private static void part(MetricSink sink, PartitionStats part) {
    CacheStats cache = part.cache();
    String name = part.name();
    sink.count(Metric.USED_BYTES, part.numbers().usedBytes(), name);
    sink.count(Metric.CAPACITY_BYTES, part.numbers().capacityBytes(), name);
    sink.count(Metric.EVICTABLE_BYTES, bytes(cache.evictableBlocks()), name);
    sink.count(Metric.POLICY_QUEUE, cache.thread().queuedEvents(), name);
    cache.gauges().forEach((gauge, value) -> sink.put(Metric.POLICY_GAUGE, value, name, gauge));
  }

  private static void resp(MetricSink sink, RespStats resp) {
    sink.count(Metric.CONNECTIONS, resp.connections());
    sink.count(Metric.CONNECTIONS_OPENED, resp.connectionsEver());
    sink.count(Metric.CONNECTIONS_CLOSED, resp.rejected(), "max-clients");
    sink.count(Metric.CONNECTIONS_CLOSED, resp.evicted(), "client-memory");
    sink.count(Metric.CONNECTIONS_CLOSED, resp.stalled(), "stall-timeout");
    sink.count(Metric.CONNECTIONS_CLOSED, resp.idle(), "idle-timeout");
    sink.count(Metric.CONNECTION_BYTES, resp.memoryBytes());
    sink.count(Metric.FAILED_LOGINS, resp.failedLogins());
    sink.count(Metric.COMMANDS, resp.commands());
    sink.count(Metric.READY, resp.accepting() ? 1 : 0);
  }

  private static long bytes(long blocks) {
    return blocks * ObjectStore.UNIT_BYTES;
  }
}
