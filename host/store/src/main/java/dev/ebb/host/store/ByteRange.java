package dev.ebb.host.store;

/**
 * A range of a value's bytes.
 *
 * @param to the byte after the last one
 */
public record ByteRange(long from, long to) {

  public ByteRange {
    if (from < 0 || to < from) {
      throw new IllegalArgumentException("the range '%d' to '%d' is negative".formatted(from, to));
    }
  }

  public static ByteRange whole(long length) {
    return new ByteRange(0, length);
  }

  public long length() {
    return to - from;
  }
}
