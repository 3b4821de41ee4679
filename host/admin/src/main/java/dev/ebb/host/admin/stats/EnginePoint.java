package dev.ebb.host.admin.stats;

import org.jspecify.annotations.Nullable;

/**
 * A sample of {@link EngineDocument}, whose fields it has. Counts are since the start; quantiles
 * are those of the last minute in seconds, null without measurements or without a scheduler.
 *
 * @param hits prompt tokens that were in the cache
 * @param misses prompt tokens that were not
 * @param limit the most requests that may run
 * @param generated generated tokens
 */
record EnginePoint(
    String time,
    double uptimeSeconds,
    String policy,
    double occupancy,
    double threshold,
    double target,
    long hits,
    long misses,
    long evicted,
    long background,
    long demand,
    long prematureEvictions,
    @Nullable Integer running,
    @Nullable Integer waiting,
    @Nullable Integer limit,
    @Nullable Long generated,
    @Nullable Double firstP50,
    @Nullable Double firstP99,
    @Nullable Double interP50,
    @Nullable Double interP99,
    @Nullable Disk disk)
    implements StatsHistory.Point {

  /**
   * A sample of the disk tier.
   *
   * @param hits prompt tokens that were read from it
   */
  record Disk(
      long hits,
      double occupancy,
      long writtenBytes,
      @Nullable Double readP50,
      @Nullable Double readP99) {

    static @Nullable Disk of(EngineDocument stats) {
      TierDocument tier = stats.tiers().getLast();
      TierDocument.Disk disk = tier.disk();
      return disk == null
          ? null
          : new Disk(
              stats.tokens().disk(),
              tier.occupancy(),
              disk.writtenBytes(),
              disk.recentReadP50(),
              disk.recentReadP99());
    }
  }

  static EnginePoint of(EngineDocument stats) {
    RequestsDocument requests = stats.requests();
    return new EnginePoint(
        stats.server().time(),
        stats.server().uptimeSeconds(),
        stats.policy().name(),
        stats.pool().occupancy(),
        stats.pool().threshold(),
        stats.pool().target(),
        stats.tokens().matched(),
        stats.tokens().prompt() - stats.tokens().matched(),
        stats.evictions().entries(),
        stats.evictions().background(),
        stats.evictions().demand(),
        stats.evictions().prematureEvictions(),
        requests == null ? null : requests.running(),
        requests == null ? null : requests.waiting(),
        requests == null ? null : requests.batchSize().limit(),
        requests == null ? null : requests.generatedTokens(),
        requests == null ? null : requests.firstToken().p50(),
        requests == null ? null : requests.firstToken().p99(),
        requests == null ? null : requests.interToken().p50(),
        requests == null ? null : requests.interToken().p99(),
        Disk.of(stats));
  }
}
