package dev.ebb.host.tier;

import dev.ebb.host.disk.DiskStats;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The state and the counters of a disk tier since its start.
 *
 * @param path the file, or the files with commas between them
 * @param inUse whether a file is written and read; not after a failure, or while it is too slow
 * @param files how many files there are
 * @param filesInUse how many of them have not failed
 * @param disk those of all files
 * @param hits values that were read from it, a chunk with its metadata as one
 * @param misses values that clients requested and neither memory nor the disk had
 * @param lateReads reads that took too long, which count as misses
 * @param rejectedValues evicted values that the admission rejected
 * @param shedValues evicted values that were dropped because the disk was too slow
 * @param heldBytes pool memory of evicted values that are not written yet
 */
public record DiskTierStats(
    String path,
    boolean inUse,
    int files,
    int filesInUse,
    DiskStats disk,
    long hits,
    long misses,
    long lateReads,
    long rejectedValues,
    long shedValues,
    long heldBytes) {

  /** Returns them by their names in INFO. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("disk_file", path);
    figures.put("disk_in_use", inUse ? 1 : 0);
    figures.put("disk_files", files);
    figures.put("disk_files_in_use", filesInUse);
    figures.put("disk_capacity_bytes", disk.capacityBytes());
    figures.put("disk_values", disk.values());
    figures.put("disk_value_bytes", disk.valueBytes());
    figures.put("disk_hits", hits);
    figures.put("disk_misses", misses);
    figures.put("disk_read_bytes", disk.readBytes());
    figures.put("disk_written_values", disk.writtenValues());
    figures.put("disk_written_bytes", disk.writtenBytes());
    figures.put("disk_dropped_values", disk.droppedValues());
    figures.put("disk_rejected_values", rejectedValues);
    figures.put("disk_shed_values", shedValues);
    figures.put("disk_late_reads", lateReads);
    figures.put("disk_damaged_values", disk.damagedRecords());
    figures.put("disk_errors", disk.errors());
    return figures;
  }
}
