package dev.ebb.host.disk.format;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The start of a region: the generation of its records, twice. */
public final class RegionHeader {

  private static final long MAGIC = 0x4E4F474552424245L; // EBBREGON
  private static final int CHECKED_BYTES = 24;

  private RegionHeader() {}

  /**
   * Starts a generation. What the region had before is invalid when this has returned, also after a
   * loss of power. The caller removes its entries from the index then, not before.
   */
  public static void write(BlockFile file, Superblock superblock, long generation)
      throws IOException {
    int region = DiskFormat.regionOf(generation, superblock.regions());
    long position = DiskFormat.positionOf(region, superblock.regionBytes());
    try (AlignedBuffer block = new AlignedBuffer(DiskFormat.RECORDS_FROM)) {
      put(block.whole(), 0, superblock, generation);
      put(block.whole(), DiskFormat.ALIGNMENT, superblock, generation);
      file.write(block.slice(0, DiskFormat.RECORDS_FROM), position);
      block.zero(0, DiskFormat.ALIGNMENT);
      file.write(
          block.slice(0, DiskFormat.ALIGNMENT),
          position + superblock.regionBytes() - DiskFormat.ALIGNMENT);
    }
    file.force();
  }

  private static void put(ByteBuffer to, int at, Superblock superblock, long generation) {
    to.putLong(at, MAGIC).putLong(at + 8, superblock.fileId()).putLong(at + 16, generation);
    to.putInt(at + CHECKED_BYTES, DiskFormat.checksum(MAGIC, to, at, CHECKED_BYTES));
  }

  /** Returns the generation of the first copy that is valid; 0 if none is. */
  public static long read(ByteBuffer region, Superblock superblock, int index) {
    long first = read(region, 0, superblock, index);
    return first != 0 ? first : read(region, DiskFormat.ALIGNMENT, superblock, index);
  }

  private static long read(ByteBuffer from, int at, Superblock superblock, int index) {
    long generation = from.getLong(at + 16);
    return from.getLong(at) == MAGIC
            && from.getLong(at + 8) == superblock.fileId()
            && from.getInt(at + CHECKED_BYTES)
                == DiskFormat.checksum(MAGIC, from, at, CHECKED_BYTES)
            && generation > 0
            && DiskFormat.regionOf(generation, superblock.regions()) == index
        ? generation
        : 0;
  }
}
