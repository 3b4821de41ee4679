package dev.ebb.host.admin.stats;

import dev.ebb.host.http.View;
import org.jspecify.annotations.Nullable;

/**
 * A sample of {@link EngineDocument}, whose fields it has. Counts are since the start; quantiles
 * are those of the last minute in seconds, null without measurements or without a scheduler.
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
    View<EnginePoint> point =
        View.of(EnginePoint.class, stats.server(), stats.pool(), stats.evictions())
            .with("policy", stats.policy().name())
            .with("hits", stats.tokens().matched())
            .with("misses", stats.tokens().prompt() - stats.tokens().matched())
            .with("evicted", stats.evictions().entries())
            .with("disk", Disk.of(stats));
    RequestsDocument requests = stats.requests();
    if (requests != null) {
      point
          .with("running", requests.running())
          .with("waiting", requests.waiting())
          .with("limit", requests.batchSize().limit())
          .with("generated", requests.generatedTokens())
          .with("firstP50", requests.firstToken().p50())
          .with("firstP99", requests.firstToken().p99())
          .with("interP50", requests.interToken().p50())
          .with("interP99", requests.interToken().p99());
    }
    return point.get();
  }
}
