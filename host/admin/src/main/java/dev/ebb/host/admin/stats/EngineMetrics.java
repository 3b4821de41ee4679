package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.engine.stats.OffloadStats;
import dev.ebb.host.engine.stats.PruningStats;
import dev.ebb.host.engine.stats.RequestStats;
import dev.ebb.host.engine.stats.TokenCounters;
import dev.ebb.host.engine.tier.RemoteTierStats;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import dev.ebb.host.pool.KvLayout;
import java.util.List;
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
    sink.count("ebb_evicted_tokens_total", engine.sum(DeviceStats::evictedEntries) * blockTokens);
    prematureEvictions(sink, engine);
    engine.devices().forEach(device -> device(sink, device, device.device()));
    sink.put(
        "ebb_allocation_seconds",
        Buckets.latencies(engine.devices().stream().map(DeviceStats::obtainingNanos).toList()));
    CacheMetrics.write(sink, CacheTotals.of(engine));
    notAdmitted(sink, engine);
    entries(sink, EngineDocument.Entries.of(engine));
    DiskTierStats disk = engine.disk();
    if (disk != null) {
      DiskMetrics.write(sink, disk);
    }
    RemoteTierStats remote = engine.remote();
    if (remote != null) {
      remote(sink, remote);
    }
    RequestStats requests = engine.requests();
    if (requests != null) {
      requests(sink, requests);
      sink.count(
          "ebb_kv_capacity_tokens",
          engine.sum(DeviceStats::capacityBytes) / pageBytes * blockTokens);
    }
    sink.count("ebb_ready", engine.open() ? 1 : 0);
  }

  private void entries(MetricSink sink, EngineDocument.Entries entries) {
    sink.count("ebb_entries", entries.active(), "active");
    sink.count("ebb_entries", entries.reused(), "reused");
    sink.count("ebb_entries", entries.evicted(), "evicted");
    sink.count("ebb_entries", entries.expired(), "expired");
    sink.count("ebb_entries", entries.removed(), "removed");
    sink.count("ebb_pinned_entries", entries.pinned());
    sink.count("ebb_pinned_bytes", entries.pinned() * pageBytes);
  }

  private static void remote(MetricSink sink, RemoteTierStats remote) {
    sink.count("ebb_remote_tier_in_use", remote.outage() == null ? 1 : 0);
    sink.count("ebb_remote_tier_blocks_total", remote.written(), "written");
    sink.count("ebb_remote_tier_blocks_total", remote.shed(), "shed");
    sink.count("ebb_remote_tier_blocks_total", remote.read(), "read");
    sink.count("ebb_remote_tier_blocks_total", remote.missed(), "missed");
    sink.count("ebb_remote_tier_blocks_total", remote.skipped(), "skipped");
    sink.count("ebb_remote_tier_bytes_total", remote.writtenBytes(), "written");
    sink.count("ebb_remote_tier_bytes_total", remote.readBytes(), "read");
    sink.count("ebb_remote_tier_failures_total", remote.failed());
  }

  private static void requests(MetricSink sink, RequestStats requests) {
    sink.count("ebb_num_requests_running", requests.running());
    sink.count("ebb_num_requests_waiting", requests.waiting());
    sink.count("ebb_num_requests_limit", requests.limit());
    sink.count("ebb_num_requests_limit_changes_total", requests.limitChanges());
    requests.finished().forEach((end, n) -> sink.count("ebb_request_success_total", n, end));
    requests.refused().forEach((reason, n) -> sink.count("ebb_request_refused_total", n, reason));
    latency(sink, "ebb_request_queue_time_seconds", requests.queueNanos());
    latency(sink, "ebb_time_to_first_token_seconds", requests.firstTokenNanos());
    latency(sink, "ebb_inter_token_latency_seconds", requests.interTokenNanos());
    latency(sink, "ebb_e2e_request_latency_seconds", requests.latencyNanos());
    sink.count("ebb_generation_tokens_total", requests.generatedTokens());
    sink.count("ebb_num_preemptions_total", requests.preemptions());
  }

  private static void latency(MetricSink sink, String metric, Histogram nanos) {
    sink.put(metric, Buckets.latencies(List.of(nanos)));
  }

  /** Writes the blocks of finished sequences that were not cached because there was no space. */
  private void notAdmitted(MetricSink sink, EngineStats engine) {
    long blocks = engine.sum(device -> device.cache().notAdmitted());
    sink.count("ebb_removals_total", blocks, "not-admitted");
    sink.count("ebb_removed_bytes_total", blocks * pageBytes, "not-admitted");
  }

  /** Writes the metrics that only sequences have, for a server of values too. */
  static void sequences(MetricSink sink, EngineStats engine) {
    pruning(sink, engine.pruning());
    sink.count("ebb_prompt_tokens_total", engine.sum(device -> device.traffic().promptTokens()));
    sink.count(
        "ebb_prefix_hit_tokens_total", engine.sum(device -> device.traffic().matchedTokens()));
    ended(sink, "finished", engine.sum(device -> device.traffic().finished()));
    ended(sink, "aborted", engine.sum(device -> device.traffic().aborted()));
    ended(sink, "preempted", engine.sum(device -> device.traffic().preempted()));
    OffloadStats offload = engine.offload();
    sink.count("ebb_sequences_offloaded_total", offload.stored(), "stored");
    sink.count("ebb_sequences_offloaded_total", offload.loaded(), "loaded");
    sink.count("ebb_sequences_offloaded_total", offload.failed(), "failed");
    sink.count("ebb_sequences_offloaded_bytes_total", offload.storedBytes(), "stored");
    sink.count("ebb_sequences_offloaded_bytes_total", offload.loadedBytes(), "loaded");
    sink.count("ebb_states", engine.sum(device -> device.states().held()));
    sink.count("ebb_state_bytes", engine.sum(device -> device.states().bytes()));
    sink.count("ebb_states_saved_total", engine.sum(device -> device.states().saved()));
    moved(sink, "compaction", engine.sum(device -> device.traffic().compactedBlocks()));
    moved(sink, "migration", engine.sum(device -> device.traffic().arrivedBlocks()));
    moved(sink, "prefix-copy", engine.sum(device -> device.traffic().copiedOverBlocks()));
    sink.count(
        "ebb_migrations_total", engine.sum(device -> device.traffic().migrations()), "complete");
    sink.count(
        "ebb_migrations_total",
        engine.sum(device -> device.traffic().cancelledMigrations()),
        "cancelled");
    sink.count("ebb_migrated_bytes_total", engine.sum(device -> device.traffic().migratedBytes()));
    sink.put(
        "ebb_migration_seconds",
        Buckets.latencies(engine.devices().stream().map(DeviceStats::migrationNanos).toList()));
  }

  private static void ended(MetricSink sink, String end, long sequences) {
    sink.count("ebb_sequences_ended_total", sequences, end);
  }

  private static void moved(MetricSink sink, String kind, long blocks) {
    sink.count("ebb_moved_blocks_total", blocks, kind);
  }

  private static void prematureEvictions(MetricSink sink, EngineStats engine) {
    long evicted = engine.sum(DeviceStats::evictedEntries);
    long premature = engine.sum(DeviceStats::prematureEvictions);
    sink.count("ebb_premature_evictions_total", premature);
    sink.put("ebb_re_prefill_ratio", (double) premature / evicted);
    sink.count("ebb_premature_eviction_window", engine.sum(DeviceStats::ghostWindow));
  }

  /** Writes the use of a device's memory. */
  static void device(MetricSink sink, DeviceStats device, String name) {
    sink.count("ebb_sequences", device.openSequences(), name);
    sink.count("ebb_pool_used_bytes", device.usedBytes(), name);
    sink.count("ebb_pool_capacity_bytes", device.capacityBytes(), name);
    sink.count("ebb_pool_evictable_bytes", device.evictableBytes(), name);
    sink.put("ebb_pool_fragmentation_ratio", device.fragmentation(), name);
  }

  private static void pruning(MetricSink sink, PruningStats pruning) {
    for (PruningStats.Policy policy : pruning.policies()) {
      sink.count("ebb_token_passes_total", policy.passes(), policy.name());
      sink.count("ebb_token_kept_total", policy.keptTokens(), policy.name());
      sink.count("ebb_token_dropped_total", policy.droppedTokens(), policy.name());
      sink.count("ebb_token_freed_bytes_total", policy.freedBytes(), policy.name());
    }
    TokenCounters counters = pruning.counters();
    sink.count("ebb_token_failures_total", counters.faults(), "fault");
    sink.count("ebb_token_failures_total", counters.missingSignals(), "missing-signal");
    sink.count("ebb_token_failures_total", counters.refusals(), "no-memory");
    sink.count("ebb_token_fallbacks_total", pruning.fallbacksAfterFault(), "fault");
    sink.count("ebb_token_fallbacks_total", pruning.fallbacksWithoutSignal(), "missing-signal");
    sink.put("ebb_token_pass_seconds", Buckets.latencies(List.of(pruning.passNanos())));
  }
}
