package dev.ebb.host.disk.tier;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.DiskOutage;
import dev.ebb.host.disk.DiskStats;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state and the counters of a disk tier since its start.
 *
 * @param path the file, or the files with commas between them
 * @param outage since when a file is not written and read, after a failure or because it is too
 *     slow; null if all are in use
 * @param files how many files there are
 * @param filesInUse how many of them have not failed, and answer in time
 * @param disk those of all files
 * @param hits values that clients received from it, a chunk with its metadata as one
 * @param hitBytes their bytes, without metadata
 * @param misses values that clients requested and neither memory nor the disk had
 * @param latency nanoseconds of a read, with the time it waited for a thread
 * @param rejectedValues evicted values that the admission rejected
 * @param shedValues evicted values that were dropped because the disk was too slow
 * @param heldBytes pool memory of evicted values that are not written yet
 */
public record DiskTierStats(
    String path,
    @Nullable DiskOutage outage,
    int files,
    int filesInUse,
    DiskStats disk,
    long hits,
    long hitBytes,
    long misses,
    Histogram latency,
    long rejectedValues,
    long shedValues,
    long heldBytes) {

  public boolean inUse() {
    return filesInUse > 0;
  }

  /** Returns all bytes written for one byte of a new value; NaN if none was written. */
  public double writeAmplification() {
    return (double) disk.writtenBytes() / disk.writtenValueBytes();
  }

  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("disk_file", path);
    figures.put("disk_in_use", inUse() ? 1 : 0);
    figures.put("disk_files", files);
    figures.put("disk_files_in_use", filesInUse);
    figures.put("disk_capacity_bytes", disk.capacityBytes());
    figures.put("disk_values", disk.values());
    figures.put("disk_value_bytes", disk.valueBytes());
    figures.put("disk_hits", hits);
    figures.put("disk_hit_bytes", hitBytes);
    figures.put("disk_misses", misses);
    figures.put("disk_read_bytes", disk.readBytes());
    figures.put("disk_written_values", disk.writtenValues());
    figures.put("disk_written_value_bytes", disk.writtenValueBytes());
    figures.put("disk_written_bytes", disk.writtenBytes());
    figures.put("disk_reused_regions", disk.reusedRegions());
    figures.put("disk_kept_values", disk.keptValues());
    figures.put("disk_dropped_values", disk.droppedValues());
    figures.put("disk_rejected_values", rejectedValues);
    figures.put("disk_shed_values", shedValues);
    figures.put("disk_late_reads", disk.lateReads());
    figures.put("disk_damaged_values", disk.damagedRecords());
    figures.put("disk_errors", disk.errors());
    return figures;
  }
}
