package dev.ebb.host.disk.format;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.ByteSize;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The description of a file, at its start.
 *
 * @param fileId a random number
 * @param regionBytes the size of each region
 * @param regions their number
 * @param clearedStamp records up to this stamp were removed together
 * @param member the set of files that it belongs to
 * @param keyCheck tells whether a key is the one of the file; 0 for a file that is not encrypted
 */
public record Superblock(
    long fileId,
    int regionBytes,
    int regions,
    long clearedStamp,
    Membership member,
    long keyCheck) {

  private static final long MAGIC = 0x4B53494442424545L; // EEBBDISK
  private static final int CHECKED_BYTES = 64;

  /**
   * The place of a file in a set.
   *
   * @param set a random number
   * @param number that of the file, from 0 on
   * @param files how many files the set had when this was written; it may have grown since
   */
  public record Membership(long set, int number, int files) {}

  public long fileBytes() {
    return DiskFormat.positionOf(regions, regionBytes);
  }

  /**
   * Returns the start of the checksums of a generation's records. It depends on a number that no
   * client knows, so that a value cannot contain what looks like a record.
   */
  public long seed(long generation) {
    return fileId ^ generation * 0x9E3779B97F4A7C15L;
  }

  public Superblock cleared(long stamp) {
    return new Superblock(fileId, regionBytes, regions, stamp, member, keyCheck);
  }

  public Superblock in(Membership other) {
    return new Superblock(fileId, regionBytes, regions, clearedStamp, other, keyCheck);
  }

  /** Writes both copies, one after the other, so that one of them is valid at any time. */
  public void write(BlockFile file) throws IOException {
    try (AlignedBuffer block = new AlignedBuffer(DiskFormat.ALIGNMENT)) {
      ByteBuffer to = block.whole();
      to.putLong(0, MAGIC)
          .putInt(8, DiskFormat.VERSION)
          .putLong(16, fileId)
          .putInt(24, regionBytes)
          .putInt(28, regions)
          .putLong(32, clearedStamp)
          .putLong(40, member.set)
          .putInt(48, member.number)
          .putInt(52, member.files)
          .putLong(56, keyCheck);
      to.putInt(CHECKED_BYTES, DiskFormat.checksum(MAGIC, to, 0, CHECKED_BYTES));
      file.write(block.slice(0, DiskFormat.ALIGNMENT), 0);
      file.force();
      file.write(block.slice(0, DiskFormat.ALIGNMENT), DiskFormat.SUPERBLOCK_COPY);
      file.force();
    }
  }

  /** Reads the newer copy; null if the start is zero. Fails for other files, named in messages. */
  public static @Nullable Superblock read(BlockFile file, String name) throws IOException {
    long bytes = file.size();
    if (bytes == 0) {
      return null;
    }
    Superblock first = copy(file, 0);
    Superblock second = copy(file, DiskFormat.SUPERBLOCK_COPY);
    if (first == null && second == null) {
      if (isZero(file)) {
        return null;
      }
      refuseOtherVersion(file, name);
      throw new UserError(
          "'%s' is not a file of the disk tier, or its start is damaged; name another file"
              .formatted(name));
    }
    Superblock newer =
        second == null || (first != null && first.clearedStamp >= second.clearedStamp)
            ? first
            : second;
    if (newer != null && bytes < newer.fileBytes()) {
      throw new UserError(
          "'%s' has %s of %s: a part of the file is missing; restore the file, or remove it, and run 'ebb tiers regroup' with the other files of its set, if there are any"
              .formatted(name, ByteSize.format(bytes), ByteSize.format(newer.fileBytes())));
    }
    return newer;
  }

  private static @Nullable Superblock copy(BlockFile file, long position) throws IOException {
    try (AlignedBuffer block = new AlignedBuffer(DiskFormat.ALIGNMENT)) {
      file.read(block.slice(0, DiskFormat.ALIGNMENT), position);
      ByteBuffer from = block.whole();
      return from.getLong(0) == MAGIC
              && from.getInt(8) == DiskFormat.VERSION
              && from.getInt(CHECKED_BYTES) == DiskFormat.checksum(MAGIC, from, 0, CHECKED_BYTES)
          ? new Superblock(
              from.getLong(16),
              from.getInt(24),
              from.getInt(28),
              from.getLong(32),
              new Membership(from.getLong(40), from.getInt(48), from.getInt(52)),
              from.getLong(56))
          : null;
    }
  }

  /** Other versions may have their checksums elsewhere; a flipped bit is in one copy only. */
  private static void refuseOtherVersion(BlockFile file, String name) throws IOException {
    try (AlignedBuffer block = new AlignedBuffer(DiskFormat.ALIGNMENT)) {
      for (long position : new long[] {0, DiskFormat.SUPERBLOCK_COPY}) {
        file.read(block.slice(0, DiskFormat.ALIGNMENT), position);
        int version = block.whole().getInt(8);
        if (block.whole().getLong(0) == MAGIC && version != DiskFormat.VERSION) {
          throw new UserError(
              "'%s' has format version '%d', and this server reads version %d; remove the file, or use the other version of Ebb"
                  .formatted(name, version, DiskFormat.VERSION));
        }
      }
    }
  }

  private static boolean isZero(BlockFile file) throws IOException {
    try (AlignedBuffer start = new AlignedBuffer(DiskFormat.REGIONS_FROM)) {
      file.read(start.slice(0, DiskFormat.REGIONS_FROM), 0);
      for (int i = 0; i < DiskFormat.REGIONS_FROM; i += Long.BYTES) {
        if (start.whole().getLong(i) != 0) {
          return false;
        }
      }
      return true;
    }
  }
}
