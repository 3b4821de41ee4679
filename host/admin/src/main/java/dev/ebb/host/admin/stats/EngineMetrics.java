package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.Histogram;
import dev.ebb.host.engine.DeviceStats;
import dev.ebb.host.engine.EngineStats;
import dev.ebb.host.engine.OffloadStats;
import dev.ebb.host.engine.PruningStats;
import dev.ebb.host.engine.RequestStats;
import dev.ebb.host.engine.TokenCounters;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import java.util.List;
import java.util.function.Supplier;

/** Metrics of an engine. */
public final class EngineMetrics implements MetricSource {

  private final Supplier<EngineStats> stats;
  private final int blockTokens;
  private final long pageBytes;
  private final CacheMetrics caches;

  public EngineMetrics(Supplier<EngineStats> stats, int blockTokens, long pageBytes) {
    this.stats = stats;
    this.blockTokens = blockTokens;
    this.pageBytes = pageBytes;
    caches = new CacheMetrics(pageBytes);
  }

  @Override
  public void write(MetricSink sink) {
    EngineStats engine = stats.get();
    pruning(sink, engine.pruning());
    traffic(sink, engine);
    prematureEvictions(sink, engine);
    engine.devices().forEach(device -> device(sink, device));
    sink.put(
        Metric.ALLOCATION_SECONDS,
        Histograms.latencies(engine.devices().stream().map(DeviceStats::obtainingNanos).toList()));
    caches.write(sink, engine.devices().stream().map(DeviceStats::cache).toList());
    notAdmitted(sink, engine);
    entries(sink, EngineDocument.Entries.of(engine));
    RequestStats requests = engine.requests();
    if (requests != null) {
      requests(sink, requests);
    }
    sink.count(Metric.READY, engine.open() ? 1 : 0);
  }

  private void entries(MetricSink sink, EngineDocument.Entries entries) {
    sink.count(Metric.ENTRIES, entries.active(), "active");
    sink.count(Metric.ENTRIES, entries.reused(), "reused");
    sink.count(Metric.ENTRIES, entries.evicted(), "evicted");
    sink.count(Metric.ENTRIES, entries.expired(), "expired");
    sink.count(Metric.ENTRIES, entries.removed(), "removed");
    sink.count(Metric.PINNED, entries.pinned());
    sink.count(Metric.PINNED_BYTES, entries.pinned() * pageBytes);
  }

  private static void requests(MetricSink sink, RequestStats requests) {
    sink.count(Metric.REQUESTS_RUNNING, requests.running());
    sink.count(Metric.REQUESTS_WAITING, requests.waiting());
    sink.count(Metric.REQUESTS_LIMIT, requests.limit());
    sink.count(Metric.REQUESTS_LIMIT_CHANGES, requests.limitChanges());
    requests.finished().forEach((end, n) -> sink.count(Metric.REQUESTS_FINISHED, n, end));
    requests.refused().forEach((reason, n) -> sink.count(Metric.REQUESTS_REFUSED, n, reason));
    latency(sink, Metric.REQUEST_QUEUE_SECONDS, requests.queueNanos());
    latency(sink, Metric.TIME_TO_FIRST_TOKEN, requests.firstTokenNanos());
    latency(sink, Metric.INTER_TOKEN_LATENCY, requests.interTokenNanos());
    latency(sink, Metric.REQUEST_LATENCY, requests.latencyNanos());
    sink.count(Metric.GENERATION_TOKENS, requests.generatedTokens());
    sink.count(Metric.PREEMPTIONS, requests.preemptions());
  }

  private static void latency(MetricSink sink, Metric metric, Histogram nanos) {
    sink.put(metric, Histograms.latencies(List.of(nanos)));
  }

  /** Writes the blocks of finished sequences that were not cached because there was no space. */
  private void notAdmitted(MetricSink sink, EngineStats engine) {
    long blocks = engine.sum(device -> device.cache().notAdmitted());
    sink.count(Metric.REMOVALS, blocks, "not-admitted");
    sink.count(Metric.REMOVED_BYTES, blocks * pageBytes, "not-admitted");
  }

  private void traffic(MetricSink sink, EngineStats engine) {
    sink.put(Metric.FAIRNESS, engine.fairness());
    sink.count(Metric.PROMPT_TOKENS, engine.sum(device -> device.traffic().promptTokens()));
    sink.count(Metric.PREFIX_HIT_TOKENS, engine.sum(device -> device.traffic().matchedTokens()));
    sink.count(Metric.EVICTED_TOKENS, engine.sum(DeviceStats::evictedEntries) * blockTokens);
    ended(sink, "finished", engine.sum(device -> device.traffic().finished()));
    ended(sink, "aborted", engine.sum(device -> device.traffic().aborted()));
    ended(sink, "preempted", engine.sum(device -> device.traffic().preempted()));
    OffloadStats offload = engine.offload();
    sink.count(Metric.SEQUENCES_OFFLOADED, offload.stored(), "stored");
    sink.count(Metric.SEQUENCES_OFFLOADED, offload.loaded(), "loaded");
    sink.count(Metric.SEQUENCES_OFFLOADED, offload.failed(), "failed");
    sink.count(Metric.OFFLOADED_BYTES, offload.storedBytes(), "stored");
    sink.count(Metric.OFFLOADED_BYTES, offload.loadedBytes(), "loaded");
    moved(sink, "compaction", engine.sum(device -> device.traffic().compactedBlocks()));
    moved(sink, "migration", engine.sum(device -> device.traffic().arrivedBlocks()));
    moved(sink, "prefix-copy", engine.sum(device -> device.traffic().copiedOverBlocks()));
    sink.count(Metric.MIGRATIONS, engine.sum(device -> device.traffic().migrations()), "complete");
    sink.count(
        Metric.MIGRATIONS,
        engine.sum(device -> device.traffic().cancelledMigrations()),
        "cancelled");
    sink.count(Metric.MIGRATED_BYTES, engine.sum(device -> device.traffic().migratedBytes()));
    sink.put(
        Metric.MIGRATION_SECONDS,
        Histograms.latencies(engine.devices().stream().map(DeviceStats::migrationNanos).toList()));
  }

  private static void ended(MetricSink sink, String end, long sequences) {
    sink.count(Metric.SEQUENCES_ENDED, sequences, end);
  }

  private static void moved(MetricSink sink, String kind, long blocks) {
    sink.count(Metric.MOVED_BLOCKS, blocks, kind);
  }

  private static void prematureEvictions(MetricSink sink, EngineStats engine) {
    long evicted = engine.sum(DeviceStats::evictedEntries);
    long premature = engine.sum(DeviceStats::prematureEvictions);
    sink.count(Metric.PREMATURE_EVICTIONS, premature);
    sink.put(Metric.RE_PREFILL, (double) premature / evicted);
    sink.count(Metric.PREMATURE_EVICTION_WINDOW, engine.sum(DeviceStats::ghostWindow));
  }

  private static void device(MetricSink sink, DeviceStats device) {
    String name = device.device();
    sink.count(Metric.SEQUENCES, device.openSequences(), name);
    sink.count(Metric.USED_BYTES, device.usedBytes(), name);
    sink.count(Metric.CAPACITY_BYTES, device.capacityBytes(), name);
    sink.count(Metric.EVICTABLE_BYTES, device.evictableBytes(), name);
    sink.put(Metric.FRAGMENTATION, device.fragmentation(), name);
  }

  private static void pruning(MetricSink sink, PruningStats pruning) {
    for (PruningStats.Policy policy : pruning.policies()) {
      sink.count(Metric.TOKEN_PASSES, policy.passes(), policy.name());
      sink.count(Metric.TOKENS_KEPT, policy.keptTokens(), policy.name());
      sink.count(Metric.TOKENS_DROPPED, policy.droppedTokens(), policy.name());
      sink.count(Metric.TOKEN_FREED_BYTES, policy.freedBytes(), policy.name());
    }
    TokenCounters counters = pruning.counters();
    sink.count(Metric.TOKEN_FAILURES, counters.faults(), "fault");
    sink.count(Metric.TOKEN_FAILURES, counters.missingSignals(), "missing-signal");
    sink.count(Metric.TOKEN_FAILURES, counters.refusals(), "no-memory");
    sink.count(Metric.TOKEN_FALLBACKS, pruning.fallbacksAfterFault(), "fault");
    sink.count(Metric.TOKEN_FALLBACKS, pruning.fallbacksWithoutSignal(), "missing-signal");
    sink.put(Metric.TOKEN_PASS_SECONDS, Histograms.latencies(List.of(pruning.passNanos())));
  }
}
