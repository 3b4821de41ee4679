package dev.ebb.host.disk;

import dev.ebb.host.disk.format.AlignedBuffer;
import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.RegionFooter;
import dev.ebb.host.disk.format.RegionHeader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the index of a file: from the footers of full regions, and from the records of others. Of
 * the records of a key, the newest counts.
 */
final class Recovery {

  private static final int MOST_BYTES = 4 << 20;

  private final DiskLog log;
  private final BlockFile file;

  /** The stamp of the newest record of each hash. */
  private final DiskIndex.Table stamps = new DiskIndex.Table();

  private @Nullable AlignedBuffer whole;
  private long lastGeneration;
  private boolean lastIsEmpty;
  private int recordsInRegion;
  private long lastStamp;
  private int scannedRegions;
  private int damagedRecords;

  interface ScanVisitor {
    void record(RecordHeader header, int offset, boolean intact);
  }

  Recovery(DiskLog log, BlockFile file) {
    this.log = log;
    this.file = file;
    lastStamp = log.superblock.clearedStamp();
  }

  /** Fills the index and the generations of the regions. */
  void run() throws IOException {
    try (AlignedBuffer ends = new AlignedBuffer(DiskFormat.RECORDS_FROM)) {
      for (int region = 0; region < log.superblock.regions(); region++) {
        recordsInRegion = 0;
        long generation = region(region, ends);
        log.generations.set(region, generation);
        if (generation > lastGeneration) {
          lastGeneration = generation;
          lastIsEmpty = recordsInRegion == 0;
        }
      }
    } finally {
      if (whole != null) {
        whole.close();
      }
    }
  }

  /** Returns the generation to be started next: the last one again if it has no record. */
  long nextGeneration() {
    return lastIsEmpty ? lastGeneration : lastGeneration + 1;
  }

  long lastStamp() {
    return lastStamp;
  }

  int scannedRegions() {
    return scannedRegions;
  }

  int damagedRecords() {
    return damagedRecords;
  }

  private long region(int region, AlignedBuffer ends) throws IOException {
    long position = DiskFormat.positionOf(region, log.superblock.regionBytes());
    file.read(ends.slice(0, DiskFormat.RECORDS_FROM), position);
    long generation = RegionHeader.read(ends.whole(), log.superblock, region);
    file.read(
        ends.slice(0, DiskFormat.ALIGNMENT),
        position + log.superblock.regionBytes() - DiskFormat.ALIGNMENT);
    var last = ends.slice(0, DiskFormat.ALIGNMENT);
    long full = RegionFooter.generation(last);
    boolean valid = full > 0 && DiskFormat.regionOf(full, log.superblock.regions()) == region;
    if (valid && (generation == 0 || generation == full)) {
      if (footer(region, full, position, RegionFooter.count(last))) {
        return full;
      }
      generation = full;
    }
    if (generation != 0) {
      scan(region, position, generation);
    }
    return generation;
  }

  private boolean footer(int region, long generation, long position, int count) throws IOException {
    int bytes = RegionFooter.bytes(count);
    if (count < 0 || bytes <= 0 || bytes > log.superblock.regionBytes()) {
      return false;
    }
    try (AlignedBuffer footer = new AlignedBuffer(bytes)) {
      read(footer, position + log.superblock.regionBytes() - bytes);
      return RegionFooter.each(
          footer.whole(),
          log.superblock.seed(generation),
          log.format,
          (hash, stamp, namespace, offset, size, expires) ->
              add(hash, stamp, namespace, region, offset, size, expires));
    }
  }

  private void read(AlignedBuffer target, long position) throws IOException {
    for (int at = 0; at < target.size(); at += MOST_BYTES) {
      int count = Math.min(MOST_BYTES, target.size() - at);
      file.read(target.slice(at, count), position + at);
    }
  }

  private void scan(int region, long position, long generation) throws IOException {
    if (whole == null) {
      whole = new AlignedBuffer(log.superblock.regionBytes());
    }
    read(whole, position);
    scannedRegions++;
    RegionFooter found = new RegionFooter();
    int damagedBefore = damagedRecords;
    int end =
        scan(
            whole,
            log.superblock.seed(generation),
            log.format,
            (header, offset, intact) -> {
              if (!intact) {
                damagedRecords++;
              } else if (header.type() != RecordHeader.Type.PADDING) {
                found.add(offset);
                add(
                    header.hash(),
                    header.stamp(),
                    header.digest(),
                    region,
                    offset,
                    header.type() == RecordHeader.Type.TOMBSTONE ? 0 : header.bytes(),
                    header.expiresAt() != RecordHeader.NEVER);
              }
            });
    if (damagedRecords == damagedBefore
        && found.count() > 0
        && end + RegionFooter.bytes(found.count()) <= log.superblock.regionBytes()) {
      // So that the next start need not scan it again.
      int start =
          found.build(whole.whole(), generation, log.superblock.seed(generation), log.format);
      file.write(whole.slice(start, log.superblock.regionBytes() - start), position + start);
    }
  }

  /** Passes the records of a region, after damaged ones too; returns the end of the last one. */
  static int scan(AlignedBuffer region, long seed, RecordFormat format, ScanVisitor visitor) {
    int end = region.size();
    int last = DiskFormat.RECORDS_FROM;
    int at = last;
    while (at < end) {
      RecordHeader header = format.read(region.whole(), at, end, seed);
      if (header == null || header.bytes() <= 0 || header.bytes() > end - at) {
        at += DiskFormat.UNIT;
        continue;
      }
      visitor.record(header, at, header.isIntact(region.whole(), at, end, seed));
      at += header.bytes();
      last = at;
    }
    return last;
  }

  private void add(
      long hash, long stamp, long namespace, int region, int offset, int bytes, boolean expires) {
    recordsInRegion++;
    lastStamp = Math.max(lastStamp, stamp);
    if (stamp <= log.superblock.clearedStamp() || stamp < stamps.get(hash)) {
      return;
    }
    boolean lives = bytes > 0 && namespace == log.digest;
    stamps.put(hash, stamp);
    log.index.put(hash, lives ? Location.of(region, offset, bytes, expires) : Location.NONE);
  }
}
