package dev.ebb.host.cluster.directory;

import java.nio.ByteBuffer;

/** Numbers of seven bits a byte, lowest first. */
final class Varint {

  static final int MAX_BYTES = 10;

  private Varint() {}

  static void put(ByteBuffer out, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    out.put((byte) rest);
  }

  static long get(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte part = in.get();
      value |= (part & 0x7FL) << shift;
      if (part >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number has more than %d bytes".formatted(MAX_BYTES));
  }

  /** Reads the size of a list, whose elements have at least this many bytes. */
  static int count(ByteBuffer in, int elementBytes) {
    long count = get(in);
    if (count < 0 || count > in.remaining() / elementBytes) {
      throw new IllegalArgumentException(
          "a list of '%d' elements does not fit in %d bytes".formatted(count, in.remaining()));
    }
    return (int) count;
  }
}
