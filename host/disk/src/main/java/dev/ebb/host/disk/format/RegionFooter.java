package dev.ebb.host.disk.format;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The list of the records of a region: the offsets while it is filled, and the footer at its end.
 * An entry of the footer has 32 bytes: hash, stamp, digest, offset with flags, and size, the last
 * two in units of 64 bytes. The entries may be encrypted.
 */
public final class RegionFooter {

  private static final int ENTRY_BYTES = 32;
  private static final int TRAILER_BYTES = 128;
  private static final int SEAL = 32;
  private static final long MAGIC = 0x544F4F4642424545L; // EEBBFOOT
  private static final int TOMBSTONE = 1 << 31;
  private static final int EXPIRES = 1 << 30;
  private static final int OFFSET = EXPIRES - 1;

  private int[] offsets = new int[256];
  private int count;

  /** Receives the records of a region. */
  public interface Visitor {

    /** Receives a record; a tombstone has 0 bytes. */
    void record(long hash, long stamp, long digest, int offset, int bytes, boolean expires);
  }

  /** Returns the bytes of a footer for so many records. */
  public static int bytes(int records) {
    return DiskFormat.up(records * ENTRY_BYTES + TRAILER_BYTES, DiskFormat.ALIGNMENT);
  }

  public int count() {
    return count;
  }

  void clear() {
    count = 0;
  }

  public void add(int offset) {
    if (count == offsets.length) {
      offsets = Arrays.copyOf(offsets, 2 * count);
    }
    offsets[count++] = offset;
  }

  void removeLast() {
    count--;
  }

  /** Writes the footer into the memory of its region; returns its offset. */
  public int build(ByteBuffer region, long generation, long seed, RecordFormat format) {
    int end = region.capacity();
    int start = end - bytes(count);
    for (int i = 0; i < count; i++) {
      RecordHeader header = format.read(region, offsets[i], end, seed);
      if (header == null) {
        throw new IllegalStateException("the record at '%d' is damaged".formatted(offsets[i]));
      }
      boolean tombstone = header.type() == RecordHeader.Type.TOMBSTONE;
      boolean expires = header.expiresAt() != RecordHeader.NEVER;
      region
          .putLong(start + i * ENTRY_BYTES, header.hash())
          .putLong(start + i * ENTRY_BYTES + 8, header.stamp())
          .putLong(start + i * ENTRY_BYTES + 16, header.digest())
          .putInt(
              start + i * ENTRY_BYTES + 24,
              offsets[i] / DiskFormat.UNIT | (tombstone ? TOMBSTONE : 0) | (expires ? EXPIRES : 0))
          .putInt(start + i * ENTRY_BYTES + 28, header.bytes() / DiskFormat.UNIT);
    }
    int trailer = end - TRAILER_BYTES;
    region.put(trailer + SEAL, format.seal(region, start, count * ENTRY_BYTES, seed));
    region.putLong(trailer, MAGIC).putLong(trailer + 8, generation).putInt(trailer + 16, count);
    region.putInt(
        trailer + 20, DiskFormat.checksum(generation, region, start, count * ENTRY_BYTES));
    region.putInt(trailer + 24, DiskFormat.checksum(MAGIC, region, trailer, 24));
    return start;
  }

  /** Returns the generation of the trailer at the end of a region; 0 without a valid one. */
  public static long generation(ByteBuffer last) {
    int trailer = last.capacity() - TRAILER_BYTES;
    return last.getLong(trailer) == MAGIC
            && last.getInt(trailer + 24) == DiskFormat.checksum(MAGIC, last, trailer, 24)
        ? last.getLong(trailer + 8)
        : 0;
  }

  /** Returns the number of records; the trailer must be valid. */
  public static int count(ByteBuffer last) {
    return last.getInt(last.capacity() - TRAILER_BYTES + 16);
  }

  /**
   * Decrypts and passes the records of a footer; returns false, and passes none, if it is damaged.
   */
  public static boolean each(ByteBuffer footer, long seed, RecordFormat format, Visitor visitor) {
    int trailer = footer.capacity() - TRAILER_BYTES;
    int count = count(footer);
    byte[] seal = new byte[RecordFormat.SEALED_BYTES];
    footer.get(trailer + SEAL, seal);
    if (footer.getInt(trailer + 20)
            != DiskFormat.checksum(generation(footer), footer, 0, count * ENTRY_BYTES)
        || !format.open(footer, 0, count * ENTRY_BYTES, seed, seal)) {
      return false;
    }
    for (int at = 0; at < count * ENTRY_BYTES; at += ENTRY_BYTES) {
      int place = footer.getInt(at + 24);
      visitor.record(
          footer.getLong(at),
          footer.getLong(at + 8),
          footer.getLong(at + 16),
          (place & OFFSET) * DiskFormat.UNIT,
          (place & TOMBSTONE) != 0 ? 0 : footer.getInt(at + 28) * DiskFormat.UNIT,
          (place & EXPIRES) != 0);
    }
    return true;
  }
}
