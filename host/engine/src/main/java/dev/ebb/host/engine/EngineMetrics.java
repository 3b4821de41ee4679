package dev.ebb.host.engine;

import dev.ebb.host.admin.CacheMetrics;
import dev.ebb.host.admin.Histograms;
import dev.ebb.host.cache.CacheStats;
import dev.ebb.host.cache.GhostWindow;
import dev.ebb.host.metrics.Metric;
import dev.ebb.host.metrics.MetricSink;
import dev.ebb.host.metrics.MetricSource;
import java.util.List;
import java.util.function.ToLongFunction;

/** The numbers of an engine as metrics. */
final class EngineMetrics implements MetricSource {

  private final Engine engine;
  private final CacheMetrics caches;

  EngineMetrics(Engine engine) {
    this.engine = engine;
    caches = new CacheMetrics(engine.pageBytes());
  }

  @Override
  public void write(MetricSink sink) {
    engine.tokens.write(sink);
    engine.locked(() -> {
      traffic(sink);
      regrets(sink);
      engine.partitions.forEach(partition -> device(sink, partition));
      sink.put(
          Metric.ALLOCATION_SECONDS,
          Histograms.latencies(
              engine.partitions.stream()
                  .map(partition -> partition.shortage.obtaining.copy())
                  .toList()));
      List<CacheStats> stats =
          engine.partitions.stream().map(partition -> partition.cache.stats()).toList();
      caches.write(sink, stats, stats.getFirst().policy());
      notAdmitted(sink, stats);
      sink.count(Metric.READY, engine.isOpen() ? 1 : 0);
      return sink;
    });
  }

  /** Blocks of finished sequences for which the cache had no room. */
  private void notAdmitted(MetricSink sink, List<CacheStats> stats) {
    long blocks = stats.stream().mapToLong(CacheStats::notAdmitted).sum();
    sink.count(Metric.REMOVALS, blocks, "not-admitted");
    sink.count(Metric.REMOVED_BYTES, blocks * engine.pageBytes(), "not-admitted");
  }

  private void traffic(MetricSink sink) {
    sink.put(Metric.FAIRNESS, EngineStats.tenants(engine).fairness());
    sink.count(Metric.PROMPT_TOKENS, sum(partition -> partition.traffic.promptTokens));
    sink.count(Metric.PREFIX_HIT_TOKENS, sum(partition -> partition.traffic.matchedTokens));
    long tokens = engine.layout().blockTokens();
    sink.count(Metric.EVICTED_TOKENS, sum(partition -> partition.cache.evictions()) * tokens);
    sink.count(Metric.SEQUENCES_ENDED, sum(partition -> partition.traffic.finished), "finished");
    sink.count(Metric.SEQUENCES_ENDED, sum(partition -> partition.traffic.aborted), "aborted");
    sink.count(Metric.SEQUENCES_ENDED, sum(partition -> partition.traffic.preempted), "preempted");
    sink.count(Metric.MOVED_BLOCKS, sum(partition -> partition.traffic.compacted), "compaction");
    sink.count(Metric.MOVED_BLOCKS, sum(partition -> partition.traffic.arrived), "migration");
    sink.count(Metric.MOVED_BLOCKS, sum(partition -> partition.traffic.copiedOver), "prefix-copy");
  }

  private void regrets(MetricSink sink) {
    long evicted = sum(partition -> partition.cache.evictions());
    long regrets = sum(partition -> partition.cache.ghosts().askedAgain());
    sink.count(Metric.REGRETS, regrets);
    sink.put(Metric.RE_PREFILL, (double) regrets / evicted);
    sink.count(Metric.REGRET_WINDOW, sum(partition -> window(partition.cache.ghosts())));
  }

  private static long window(GhostWindow ghosts) {
    return ghosts.length();
  }

  private static void device(MetricSink sink, DevicePartition partition) {
    String name = partition.name();
    sink.count(Metric.SEQUENCES, partition.openSequences(), name);
    sink.count(Metric.USED_BYTES, EngineStats.usedBytes(partition), name);
    sink.count(Metric.CAPACITY_BYTES, EngineStats.bytes(partition, partition.pool.blocks()), name);
    sink.count(
        Metric.EVICTABLE_BYTES, EngineStats.bytes(partition, partition.evictableBlocks()), name);
    sink.put(Metric.FRAGMENTATION, partition.pool.stats().fragmentation(), name);
  }

  private long sum(ToLongFunction<DevicePartition> number) {
    return engine.partitions.stream().mapToLong(number).sum();
  }
}
