package dev.ebb.host.disk.format;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The layout of a file, in little-endian order.
 *
 * <pre>
 * 0        superblock, and a copy of it at 32 KiB
 * 64 KiB   regions, each of them:
 *   0      header, and a copy of it at 4 KiB
 *   8 KiB  records, each at a multiple of 64 bytes: header (64 bytes), key, value, attachment;
 *          of an encrypted file: header, nonce, these three encrypted, tag
 *   ...    footer, at the end of a full region: an entry for each record, and a trailer of 128
 *          bytes
 * </pre>
 *
 * <p>Regions are numbered by <em>generations</em>, from 1 on: generation g is in region {@code (g -
 * 1) % regions}. The checksums of records start with the generation, so that what an earlier
 * generation left in a region is never valid.
 */
public final class DiskFormat {

  public static final int VERSION = 2;
  public static final int ALIGNMENT = 4096;
  public static final int UNIT = 64;
  public static final int SUPERBLOCK_COPY = 32 << 10;
  public static final int REGIONS_FROM = 64 << 10;
  public static final int RECORDS_FROM = 2 * ALIGNMENT;
  public static final int LEAST_REGIONS = 4;
  public static final int MOST_REGIONS = (1 << 22) - 2;
  public static final int LEAST_REGION_BYTES = 64 << 10;
  public static final int MOST_REGION_BYTES = 1 << 30;

  private static final long HASH_SEED = 0x9E3779B97F4A7C15L;
  private static final long HASH_FACTOR = 0xD6E8FEB86659FD93L;

  private DiskFormat() {}

  public static int regionOf(long generation, int regions) {
    return (int) ((generation - 1) % regions);
  }

  public static long positionOf(int region, int regionBytes) {
    return REGIONS_FROM + (long) region * regionBytes;
  }

  public static int up(int bytes, int unit) {
    return (bytes + unit - 1) & -unit;
  }

  public static int down(int bytes, int unit) {
    return bytes & -unit;
  }

  /** Returns the checksum of some bytes, which starts with a number. */
  static int checksum(long start, ByteBuffer bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
      crc.update((int) (start >>> shift));
    }
    crc.update(bytes.slice(from, length));
    return (int) crc.getValue();
  }

  /** Returns the hash of a key in files, never 0. */
  public static long hash(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    long hash = HASH_SEED + key.length;
    while (bytes.remaining() >= Long.BYTES) {
      hash = mix(hash, bytes.getLong());
    }
    while (bytes.hasRemaining()) {
      hash = mix(hash, bytes.get());
    }
    hash = mix(hash, HASH_SEED);
    return hash == 0 ? 1 : hash;
  }

  private static long mix(long hash, long word) {
    long mixed = (hash ^ word) * HASH_FACTOR;
    mixed = (mixed ^ (mixed >>> 32)) * HASH_FACTOR;
    return Long.rotateLeft(mixed ^ (mixed >>> 29), 23);
  }

  public static long digest(String namespace) {
    return hash(namespace.getBytes(StandardCharsets.UTF_8));
  }
}
