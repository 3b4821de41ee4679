package dev.ebb.host.admin.stats;

import dev.ebb.host.disk.DiskStats;
import dev.ebb.host.disk.tier.DiskTierStats;
import dev.ebb.host.metrics.Buckets;
import dev.ebb.host.metrics.MetricSink;
import java.util.List;

/** Metrics of a disk tier. */
final class DiskMetrics {

  private DiskMetrics() {}

  static void write(MetricSink sink, DiskTierStats tier) {
    DiskStats disk = tier.disk();
    sink.count("ebb_disk_in_use", tier.inUse() ? 1 : 0);
    sink.count("ebb_disk_files", tier.files());
    sink.count("ebb_disk_files_in_use", tier.filesInUse());
    sink.count("ebb_disk_capacity_bytes", disk.capacityBytes());
    sink.count("ebb_disk_values", disk.values());
    sink.count("ebb_disk_value_bytes", disk.valueBytes());
    sink.put("ebb_disk_occupancy_ratio", (double) disk.valueBytes() / disk.capacityBytes());
    sink.count("ebb_disk_index_bytes", disk.indexBytes());
    sink.count("ebb_disk_waiting_bytes", tier.heldBytes());
    reads(sink, tier);
    writes(sink, tier);
    sink.count("ebb_disk_damaged_values_total", disk.damagedRecords());
    sink.count("ebb_disk_errors_total", disk.errors());
  }

  private static void reads(MetricSink sink, DiskTierStats tier) {
    sink.count("ebb_disk_hits_total", tier.hits());
    sink.count("ebb_disk_hit_bytes_total", tier.hitBytes());
    sink.count("ebb_disk_misses_total", tier.misses());
    sink.count("ebb_disk_read_bytes_total", tier.disk().readBytes());
    sink.put("ebb_disk_read_seconds", Buckets.latencies(List.of(tier.latency())));
    sink.count("ebb_disk_late_reads_total", tier.lateReads());
  }

  private static void writes(MetricSink sink, DiskTierStats tier) {
    DiskStats disk = tier.disk();
    sink.count("ebb_disk_written_values_total", disk.writtenValues());
    sink.count("ebb_disk_written_value_bytes_total", disk.writtenValueBytes());
    sink.count("ebb_disk_written_bytes_total", disk.writtenBytes());
    sink.put("ebb_disk_write_amplification_ratio", tier.writeAmplification());
    sink.count("ebb_disk_reused_regions_total", disk.reusedRegions());
    sink.count("ebb_disk_kept_values_total", disk.keptValues());
    sink.count("ebb_disk_dropped_values_total", disk.droppedValues());
    sink.count("ebb_disk_rejected_values_total", tier.rejectedValues());
    sink.count("ebb_disk_shed_values_total", tier.shedValues());
  }
}
