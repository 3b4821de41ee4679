package dev.ebb.host.admin.stats;

import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.DiskOutage;
import dev.ebb.host.disk.DiskStats;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.engine.stats.EngineStats;
import dev.ebb.host.http.View;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.store.stats.HitSources;
import dev.ebb.host.store.stats.StoreStats;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A tier of a server or an engine: its memory, or its disk. Counts are since the start.
 *
 * @param name {@code memory} or {@code disk}
 * @param outOfUseSince since when it is not in use, ISO 8601; null if it is
 * @param values its values, or the pages of an engine; one may be in memory and on the disk
 * @param misses values that it was asked for and did not have
 * @param disk what only a disk has; null for memory
 */
public record TierDocument(
    String name,
    boolean inUse,
    @Nullable String outOfUseSince,
    @Nullable String reason,
    long capacityBytes,
    long usedBytes,
    long values,
    long hits,
    long hitBytes,
    long misses,
    @Nullable Disk disk) {

  /** The tiers, the fastest first. */
  public record Tiers(List<TierDocument> tiers) {}

  /**
   * The disk. Counts are since the start.
   *
   * @param writtenBytes all bytes written, also of values that were kept when their region was
   *     reused
   * @param writtenBytesPerSecond of the last two seconds
   * @param writtenBytesPerHit null without hits
   * @param writeAmplification all bytes written for one byte of a new value; null without new
   *     values
   * @param keptValues values that were kept when their region was reused
   * @param rejectedValues evicted values that the admission rejected
   * @param shedValues evicted values that were dropped because the disk was too slow
   * @param waitingBytes pool memory of evicted values that are not written yet
   * @param readP50 median time of a read in seconds; null without reads
   * @param readP99 99th percentile in seconds; null without reads
   * @param recentReadP50 the same of the last two seconds
   */
  public record Disk(
      String file,
      long newValues,
      long newBytes,
      long writtenBytes,
      double writtenBytesPerSecond,
      @Nullable Double writtenBytesPerHit,
      @Nullable Double writeAmplification,
      long reusedRegions,
      long keptValues,
      long droppedValues,
      long rejectedValues,
      long shedValues,
      long waitingBytes,
      long indexBytes,
      long readBytes,
      long reads,
      @Nullable Double readP50,
      @Nullable Double readP99,
      @Nullable Double recentReadP50,
      @Nullable Double recentReadP99,
      long lateReads,
      long damagedValues,
      long errors) {}

  public double occupancy() {
    return (double) usedBytes / capacityBytes;
  }

  static TierDocument memory(StoreStats store) {
    HitSources sources = store.sources();
    return new TierDocument(
        "memory",
        true,
        null,
        null,
        store.capacityBytes(),
        store.usedBytes(),
        store.keys(),
        store.hits() - sources.disk() - sources.nodes(),
        store.bytesRead() - sources.diskBytes() - sources.nodeBytes(),
        store.misses() + sources.disk() + sources.nodes(),
        null);
  }

  static TierDocument memory(EngineStats engine, KvLayout layout) {
    int blockTokens = layout.blockTokens();
    long pageBytes = (long) layout.blockBytes() * layout.laneGroups();
    long prompt = engine.sum(device -> device.traffic().promptTokens());
    long fromDisk = engine.sum(device -> device.traffic().diskTokens());
    long hits = (engine.sum(device -> device.traffic().matchedTokens()) - fromDisk) / blockTokens;
    long used = engine.sum(DeviceStats::usedBytes);
    long values = CacheTotals.of(engine).sum(CacheStats::entries);
    return new TierDocument(
        "memory",
        true,
        null,
        null,
        engine.sum(DeviceStats::capacityBytes),
        used,
        values,
        hits,
        hits * pageBytes,
        prompt / blockTokens - hits,
        null);
  }

  static TierDocument disk(
      DiskTierStats tier, StatsDocument.Took recent, double writtenBytesPerSecond) {
    DiskOutage outage = tier.outage();
    return View.of(TierDocument.class, tier)
        .with("name", "disk")
        .with(
            "outOfUseSince",
            outage == null ? null : Instant.ofEpochMilli(outage.since()).toString())
        .with("reason", outage == null ? null : outage.reason())
        .with("capacityBytes", tier.disk().capacityBytes())
        .with("usedBytes", tier.disk().valueBytes())
        .with("values", tier.disk().values())
        .with("disk", details(tier, recent, writtenBytesPerSecond))
        .get();
  }

  private static Disk details(
      DiskTierStats tier, StatsDocument.Took recent, double writtenBytesPerSecond) {
    DiskStats disk = tier.disk();
    Histogram reads = tier.latency();
    return View.of(Disk.class, tier, disk)
        .with("file", tier.path())
        .with("newValues", disk.writtenValues())
        .with("newBytes", disk.writtenValueBytes())
        .with("writtenBytesPerSecond", writtenBytesPerSecond)
        .with(
            "writtenBytesPerHit",
            tier.hits() == 0 ? null : (double) disk.writtenBytes() / tier.hits())
        .with("waitingBytes", tier.heldBytes())
        .with("reads", reads.count())
        .with("readP50", RecentLatency.seconds(reads, 0.5))
        .with("readP99", RecentLatency.seconds(reads, 0.99))
        .with("recentReadP50", recent.p50())
        .with("recentReadP99", recent.p99())
        .with("damagedValues", disk.damagedRecords())
        .get();
  }
}
