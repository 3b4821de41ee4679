package dev.ebb.host.disk;

import dev.ebb.host.disk.format.DiskFormat;
import dev.ebb.host.disk.format.ReadBuffer;
import dev.ebb.host.disk.format.RecordFormat;
import dev.ebb.host.disk.format.RecordHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads records, from the memory of a region that is being filled, or from the disk. A record
 * counts only if its region still has the same generation after the read.
 */
record RecordReader(DiskLog log, OpenRegions regions) {

  /** The result of a read; it is damaged if the record is not what it should be. */
  record Result(@Nullable DiskValue value, boolean damaged) {

    private static final Result NONE = new Result(null, false);
    private static final Result DAMAGED = new Result(null, true);
  }

  Result read(byte[] key, long hash, long location, int size, ReadBuffer memory) {
    int region = Location.region(location);
    long generation = log.generations.get(region);
    int first = DiskFormat.down(Location.offset(location), DiskFormat.ALIGNMENT);
    ByteBuffer bytes = load(location, size, generation, memory);
    if (bytes == null) {
      return Result.NONE;
    }
    int at = Location.offset(location) - first;
    long seed = log.superblock.seed(generation);
    RecordHeader header = log.format.read(bytes, at, bytes.capacity(), seed);
    if (log.generations.get(region) != generation) {
      return Result.NONE;
    }
    ByteBuffer body =
        header == null || header.hash() != hash
            ? null
            : log.format.body(header, bytes, at, bytes.capacity(), seed, memory);
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
            log.superblock.member().number(),
            location),
        false);
  }

  /** Reads the header and the key; their checksum, and not that of the value, is checked. */
  DiskLog.@Nullable Description describe(byte[] key, long hash, long location, ReadBuffer memory) {
    int region = Location.region(location);
    long generation = log.generations.get(region);
    int most =
        Math.min(
            Location.bytes(location), RecordHeader.BYTES + RecordFormat.SEALED_BYTES + key.length);
    ByteBuffer bytes = load(location, most, generation, memory);
    if (bytes == null) {
      return null;
    }
    int at = Location.offset(location) % DiskFormat.ALIGNMENT;
    RecordHeader header =
        log.format.read(bytes, at, bytes.capacity(), log.superblock.seed(generation));
    return header != null
            && log.generations.get(region) == generation
            && header.hash() == hash
            && isWanted(header)
            && Arrays.equals(log.format.key(header, bytes, at), key)
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
    long generation = log.generations.get(Location.region(location));
    int most = RecordHeader.BYTES + RecordFormat.SEALED_BYTES;
    ByteBuffer bytes = load(location, most, generation, memory);
    int at = Location.offset(location) % DiskFormat.ALIGNMENT;
    RecordHeader header =
        bytes == null
            ? null
            : log.format.read(bytes, at, bytes.capacity(), log.superblock.seed(generation));
    return header != null && header.hash() == hash ? header.stamp() : 0;
  }

  private boolean isWanted(RecordHeader header) {
    return header.type() == RecordHeader.Type.VALUE
        && header.digest() == log.digest
        && !header.isExpired(System.currentTimeMillis());
  }

  /** Returns the blocks of a record; null if they cannot be read. */
  private @Nullable ByteBuffer load(long location, int size, long generation, ReadBuffer memory) {
    int offset = Location.offset(location);
    int first = DiskFormat.down(offset, DiskFormat.ALIGNMENT);
    int end =
        Math.min(log.superblock.regionBytes(), DiskFormat.up(offset + size, DiskFormat.ALIGNMENT));
    ByteBuffer target = memory.of(end - first);
    if (regions.copy(generation, first, target.duplicate())) {
      return target;
    }
    long position =
        DiskFormat.positionOf(Location.region(location), log.superblock.regionBytes()) + first;
    try {
      log.writer.file().read(target.duplicate(), position);
      log.writer.readSucceeded();
      return target;
    } catch (IOException failed) {
      log.counters.errors.increment();
      log.writer.readFailed(failed);
      return null;
    }
  }
}
