package dev.ebb.host.disk;

import dev.ebb.host.disk.format.DiskFormat;

/**
 * Where a record is, in one number: the region (22 bits), the offset in units of 64 bytes (24),
 * whether it expires, whether it was read, and its size, rounded up by at most 0.1 % (16). A record
 * that is announced and not yet written has a region of its own.
 */
final class Location {

  /** No record. */
  static final long NONE = 0;

  private static final int REGION_SHIFT = 42;
  private static final int OFFSET_SHIFT = 18;
  private static final long EXPIRES = 1L << 17;
  private static final long READ = 1L << 16;
  private static final int MANTISSA_BITS = 11;
  private static final int MANTISSA = 1 << MANTISSA_BITS;
  private static final long ANNOUNCED = -1L << REGION_SHIFT;

  private Location() {}

  static long of(int region, int offset, int bytes, boolean expires) {
    return (long) region << REGION_SHIFT
        | (long) (offset / DiskFormat.UNIT) << OFFSET_SHIFT
        | (expires ? EXPIRES : 0)
        | code(bytes / DiskFormat.UNIT);
  }

  /** Returns the location of a record that is not written yet, which only its ticket has. */
  static long announced(long ticket) {
    return ANNOUNCED | (ticket << OFFSET_SHIFT & ~ANNOUNCED);
  }

  static boolean isAnnounced(long location) {
    return (location & ANNOUNCED) == ANNOUNCED;
  }

  static int region(long location) {
    return (int) (location >>> REGION_SHIFT);
  }

  static int offset(long location) {
    return (int) (location >>> OFFSET_SHIFT & 0xFFFFFF) * DiskFormat.UNIT;
  }

  static boolean expires(long location) {
    return (location & EXPIRES) != 0;
  }

  static boolean wasRead(long location) {
    return (location & READ) != 0;
  }

  static long read(long location) {
    return location | READ;
  }

  /** Returns at least the size of the record in bytes. */
  static int bytes(long location) {
    int code = (int) location & 0xFFFF;
    int exponent = code >>> MANTISSA_BITS;
    int units = exponent == 0 ? code : (MANTISSA | (code & (MANTISSA - 1))) << (exponent - 1);
    return units * DiskFormat.UNIT;
  }

  static boolean same(long one, long other) {
    return ((one ^ other) & ~READ) == 0;
  }

  private static long code(int units) {
    int exponent = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(units) - MANTISSA_BITS);
    if (exponent == 0) {
      return units;
    }
    // Rounded up; a carry out of the mantissa adds one to the exponent, as it should.
    int shift = exponent - 1;
    int rounded = (units + (1 << shift) - 1) >>> shift;
    return ((long) exponent << MANTISSA_BITS) + (rounded - MANTISSA);
  }
}
