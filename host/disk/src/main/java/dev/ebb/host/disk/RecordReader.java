package dev.ebb.host.disk;

import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RecordHeader;
import dev.ebb.host.disk.format.Superblock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * Reads records, from the memory of a region that is being filled, or from the disk. A record
 * counts only if its region still has the same generation after the read.
 */
record RecordReader(
    Superblock superblock,
    OpenRegions regions,
    DiskWriter writer,
    AtomicLongArray generations,
    DiskCounters counters,
    long digest,
    RecordFormat format) {

  /** The result of a read; it is damaged if the record is not what it should be. */
  record Result(@Nullable DiskValue value, boolean damaged) {

    private static final Result NONE = new Result(null, false);
    private static final Result DAMAGED = new Result(null, true);
  }

  Result read(byte[] key, long hash, long location, int size, ReadBuffer memory) {
    int region = Location.region(location);
    long generation = generations.get(region);
    int first = DiskFormat.down(Location.offset(location), DiskFormat.ALIGNMENT);
    ByteBuffer bytes = load(location, size, generation, memory);
    if (bytes == null) {
      return Result.NONE;
    }
    int at = Location.offset(location) - first;
    long seed = superblock.seed(generation);
    RecordHeader header = format.read(bytes, at, bytes.capacity(), seed);
    if (generations.get(region) != generation) {
      return Result.NONE;
    }
    ByteBuffer body =
        header == null || header.hash() != hash
            ? null
            : format.body(header, bytes, at, bytes.capacity(), seed, memory);
    if (header == null || body == null) {
      return Result.DAMAGED;
    }
    int value = header.keyLength();
    if (!isWanted(header) || value != key.length || !DiskLog.sameKey(body, 0, key)) {
      return Result.NONE;
    }
    return new Result(
        new DiskValue(
            body.slice(value, header.length()),
            body.slice(value + header.length(), header.attachment()),
            header.expiresAt(),
            header.group(),
            header.parent(),
            superblock.member().number(),
            location),
        false);
  }

  /** Reads the header and the key; their checksum, and not that of the value, is checked. */
  DiskLog.@Nullable Description describe(byte[] key, long hash, long location, ReadBuffer memory) {
    int region = Location.region(location);
    long generation = generations.get(region);
    int most =
        Math.min(
            Location.bytes(location), RecordHeader.BYTES + RecordFormat.SEALED_BYTES + key.length);
    ByteBuffer bytes = load(location, most, generation, memory);
    if (bytes == null) {
      return null;
    }
    int at = Location.offset(location) % DiskFormat.ALIGNMENT;
    RecordHeader header = format.read(bytes, at, bytes.capacity(), superblock.seed(generation));
    return header != null
            && generations.get(region) == generation
            && header.hash() == hash
            && isWanted(header)
            && Arrays.equals(format.key(header, bytes, at), key)
        ? new DiskLog.Description(
            new DiskLog.Properties(
                header.length(),
                header.attachment(),
                header.expiresAt(),
                header.group(),
                header.parent()),
            TimeUnit.MICROSECONDS.toMillis(header.stamp()))
        : null;
  }

  /** Returns the stamp of a record; 0 if it cannot be read. */
  long stamp(long hash, long location, ReadBuffer memory) {
    long generation = generations.get(Location.region(location));
    int most = RecordHeader.BYTES + RecordFormat.SEALED_BYTES;
    ByteBuffer bytes = load(location, most, generation, memory);
    int at = Location.offset(location) % DiskFormat.ALIGNMENT;
    RecordHeader header =
        bytes == null
            ? null
            : format.read(bytes, at, bytes.capacity(), superblock.seed(generation));
    return header != null && header.hash() == hash ? header.stamp() : 0;
  }

  private boolean isWanted(RecordHeader header) {
    return header.type() == RecordHeader.Type.VALUE
        && header.digest() == digest
        && !header.isExpired(System.currentTimeMillis());
  }

  /** Returns the blocks of a record; null if they cannot be read. */
  private @Nullable ByteBuffer load(long location, int size, long generation, ReadBuffer memory) {
    int offset = Location.offset(location);
    int first = DiskFormat.down(offset, DiskFormat.ALIGNMENT);
    int end =
        Math.min(superblock.regionBytes(), DiskFormat.up(offset + size, DiskFormat.ALIGNMENT));
    ByteBuffer target = memory.of(end - first);
    if (regions.copy(generation, first, target.duplicate())) {
      return target;
    }
    long position =
        DiskFormat.positionOf(Location.region(location), superblock.regionBytes()) + first;
    try {
      writer.file().read(target.duplicate(), position);
      writer.readSucceeded();
      return target;
    } catch (IOException failed) {
      counters.errors.increment();
      writer.readFailed(failed);
      return null;
    }
  }
}
