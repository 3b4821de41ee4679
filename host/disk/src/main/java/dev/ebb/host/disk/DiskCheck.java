package dev.ebb.host.disk;

import dev.ebb.host.disk.format.AlignedBuffer;
import dev.ebb.host.disk.format.BlockFile;
import dev.ebb.host.disk.format.ChannelFile;
import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RegionHeader;
import dev.ebb.host.disk.format.Superblock;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The result of reading a whole file.
 *
 * @param regionBytes the size of a region
 * @param regions how many regions the file has
 * @param usedRegions how many of them have records
 * @param damagedRegions regions whose header cannot be read
 * @param values records of values, also of removed and replaced ones
 * @param bytes their bytes
 * @param removals records of removals
 * @param damagedValues records of values whose checksum is wrong; they are never returned
 */
public record DiskCheck(
    long regionBytes,
    int regions,
    int usedRegions,
    int damagedRegions,
    long values,
    long bytes,
    long removals,
    long damagedValues) {

  private static final int MOST_BYTES = 4 << 20;

  /** Hears how far a check is. */
  @FunctionalInterface
  public interface Progress {
    void at(int done, int regions);
  }

  /** Reads a file, which no server uses meanwhile, and reports how far it is before each region. */
  public static DiskCheck of(Path path, Progress progress) {
    if (!Files.exists(path)) {
      throw new UserError("'%s' does not exist; name the file of a disk tier".formatted(path));
    }
    try (BlockFile file = ChannelFile.open(path)) {
      return of(file, path.toString(), progress);
    } catch (IOException failed) {
      throw new UserError("'%s' cannot be read: %s".formatted(path, Reasons.of(failed)));
    }
  }

  static DiskCheck of(BlockFile file, String name, Progress progress) throws IOException {
    Superblock superblock = Superblock.read(file, name);
    if (superblock == null) {
      throw new UserError("'%s' has only zeros; name the file of a disk tier".formatted(name));
    }
    int used = 0;
    int damaged = 0;
    long[] found = new long[4];
    try (AlignedBuffer region = new AlignedBuffer(superblock.regionBytes())) {
      for (int i = 0; i < superblock.regions(); i++) {
        progress.at(i, superblock.regions());
        long position = DiskFormat.positionOf(i, superblock.regionBytes());
        for (int at = 0; at < region.size(); at += MOST_BYTES) {
          int count = Math.min(MOST_BYTES, region.size() - at);
          file.read(region.slice(at, count), position + at);
        }
        long generation = RegionHeader.read(region.whole(), superblock, i);
        if (generation == 0) {
          damaged += region.whole().getLong(0) == 0 ? 0 : 1;
          continue;
        }
        long before = found[0];
        Recovery.scan(
            region,
            superblock.seed(generation),
            new RecordFormat(null),
            (header, at, intact) -> {
              switch (header.type()) {
                case VALUE -> {
                  found[0]++;
                  found[1] += header.bytes();
                  found[3] += intact ? 0 : 1;
                }
                // Each is written twice.
                case TOMBSTONE -> found[2]++;
                case PADDING -> {}
              }
            });
        used += found[0] > before ? 1 : 0;
      }
    }
    return new DiskCheck(
        superblock.regionBytes(),
        superblock.regions(),
        used,
        damaged,
        found[0],
        found[1],
        found[2] / 2,
        found[3]);
  }
}
