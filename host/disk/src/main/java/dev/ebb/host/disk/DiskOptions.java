package dev.ebb.host.disk;

import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.DiskKey;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionBuffer;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a log.
 *
 * @param sizeBytes the largest size of each file
 * @param regionBytes the size of a region, which is the largest value with its key, nearly
 * @param namespace values of another namespace are misses
 * @param flushAfter the longest time that a value is only in memory
 * @param readTimeout a read that takes longer is a miss
 * @param key encrypts what is written; null for none
 */
public record DiskOptions(
    long sizeBytes,
    int regionBytes,
    String namespace,
    Duration flushAfter,
    Duration readTimeout,
    @Nullable DiskKey key) {

  public static final int REGION_BYTES = 64 << 20;

  public static final Duration FLUSH_AFTER = Duration.ofSeconds(1);

  public DiskOptions {
    checkRegion(regionBytes);
    long least = DiskFormat.REGIONS_FROM + (long) DiskFormat.LEAST_REGIONS * regionBytes;
    if (sizeBytes < least) {
      throw new UserError(
          "ebb.tiers.disk.size '%s' is too small; set %s or more, or a smaller ebb.tiers.disk.region-size than %s"
              .formatted(
                  ByteSize.exact(sizeBytes), ByteSize.exact(least), ByteSize.format(regionBytes)));
    }
    long regions = (sizeBytes - DiskFormat.REGIONS_FROM) / regionBytes;
    if (regions > DiskFormat.MOST_REGIONS) {
      throw new UserError(
          "ebb.tiers.disk.size is '%s', which is '%d' regions of %s; set at most %d, or a larger ebb.tiers.disk.region-size"
              .formatted(
                  ByteSize.format(sizeBytes),
                  regions,
                  ByteSize.format(regionBytes),
                  DiskFormat.MOST_REGIONS));
    }
  }

  /** Fails if the size of a region is too small or too large. */
  public static void checkRegion(long bytes) {
    if (bytes < DiskFormat.LEAST_REGION_BYTES
        || bytes > DiskFormat.MOST_REGION_BYTES
        || bytes % DiskFormat.ALIGNMENT != 0) {
      throw new UserError(
          "ebb.tiers.disk.region-size is '%s'; set %s to %s, in steps of 4 KiB"
              .formatted(
                  ByteSize.exact(bytes),
                  ByteSize.format(DiskFormat.LEAST_REGION_BYTES),
                  ByteSize.format(DiskFormat.MOST_REGION_BYTES)));
    }
  }

  public DiskOptions(long sizeBytes, int regionBytes, String namespace, Duration flushAfter) {
    this(sizeBytes, regionBytes, namespace, flushAfter, Duration.ofSeconds(1), null);
  }

  /** Returns the bytes of the largest value, with its key and its metadata. */
  public int largestValue() {
    return largestValue(regionBytes);
  }

  static int largestValue(int regionBytes) {
    return RegionBuffer.largest(regionBytes) - 2 * RecordHeader.BYTES - RecordFormat.SEALED_BYTES;
  }

  long fileBytes() {
    return DiskFormat.positionOf(regions(), regionBytes);
  }

  int regions() {
    return (int) ((sizeBytes - DiskFormat.REGIONS_FROM) / regionBytes);
  }
}
