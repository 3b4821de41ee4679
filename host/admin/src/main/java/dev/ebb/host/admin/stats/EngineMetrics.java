package dev.ebb.host.admin.stats;

import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.engine.stats.PruningStats;
import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.engine.tier.RemoteTierStats;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.pool.KvLayout;
import java.util.function.Supplier;

/** Metrics of an engine. */
public final class EngineMetrics implements MetricSource {

  private final Supplier<EngineStats> stats;
  private final int blockTokens;
  private final long pageBytes;

  /** Creates the metrics of an engine, for any server of its process. */
  public EngineMetrics(Ebb ebb) {
    KvLayout layout = ebb.pool().layout();
    stats = ebb::stats;
    blockTokens = layout.blockTokens();
    pageBytes = (long) layout.blockBytes() * layout.laneGroups();
  }

  @Override
  public void write(MetricSink sink) {
    EngineStats engine = stats.get();
    sequences(sink, engine);
    sink.put("ebb_fairness_ratio", engine.fairness());
    sink.count("ebb_ready", engine.open() ? 1 : 0);
    sink.count("ebb_evicted_tokens_total", engine.sum(DeviceStats::evictedEntries) * blockTokens);
    prematureEvictions(sink, engine);
    engine.devices().forEach(device -> sink.all(device, device.device()));
    sink.put(
        "ebb_allocation_seconds",
        Buckets.latencies(engine.devices().stream().map(DeviceStats::obtainingNanos).toList()));
    CacheMetrics.write(sink, CacheTotals.of(engine));
    notAdmitted(sink, engine);
    EngineDocument.Entries entries = EngineDocument.Entries.of(engine);
    sink.all(entries);
    sink.count("ebb_pinned_bytes", entries.pinned() * pageBytes);
    DiskTierStats disk = engine.disk();
    if (disk != null) {
      CacheMetrics.disk(sink, disk);
    }
    RemoteTierStats remote = engine.remote();
    if (remote != null) {
      sink.all(remote);
      sink.count("ebb_remote_tier_in_use", remote.outage() == null ? 1 : 0);
    }
    RequestStats requests = engine.requests();
    if (requests != null) {
      requests(sink, requests);
      sink.count(
          "ebb_kv_capacity_tokens",
          engine.sum(DeviceStats::capacityBytes) / pageBytes * blockTokens);
    }
  }

  private static void requests(MetricSink sink, RequestStats requests) {
    sink.all(requests);
    requests.finished().forEach((end, n) -> sink.count("ebb_request_success_total", n, end));
    requests.refused().forEach((reason, n) -> sink.count("ebb_request_refused_total", n, reason));
  }

  /** Writes the blocks of finished sequences that were not cached because there was no space. */
  private void notAdmitted(MetricSink sink, EngineStats engine) {
    long blocks = engine.sum(device -> device.cache().notAdmitted());
    sink.count("ebb_removals_total", blocks, "not-admitted");
    sink.count("ebb_removed_bytes_total", blocks * pageBytes, "not-admitted");
  }

  /** Writes the metrics that only sequences have, for a server of values too. */
  static void sequences(MetricSink sink, EngineStats engine) {
    sink.all(engine);
    for (PruningStats.Policy policy : engine.pruning().policies()) {
      sink.count("ebb_token_passes_total", policy.passes(), policy.name());
      sink.count("ebb_token_kept_total", policy.keptTokens(), policy.name());
      sink.count("ebb_token_dropped_total", policy.droppedTokens(), policy.name());
      sink.count("ebb_token_freed_bytes_total", policy.freedBytes(), policy.name());
    }
  }

  private static void prematureEvictions(MetricSink sink, EngineStats engine) {
    long evicted = engine.sum(DeviceStats::evictedEntries);
    long premature = engine.sum(DeviceStats::prematureEvictions);
    sink.count("ebb_premature_evictions_total", premature);
    sink.put("ebb_re_prefill_ratio", (double) premature / evicted);
    sink.count("ebb_premature_eviction_window", engine.sum(DeviceStats::ghostWindow));
  }
}
