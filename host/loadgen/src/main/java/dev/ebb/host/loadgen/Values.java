package dev.ebb.host.loadgen;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The values of keys: the key's hash, and then random bytes with an offset of its own. So a value
 * of another key, or one mixed from two, is detected, and nothing is stored. Thread-safe.
 */
public final class Values {

  /** The size of the hash at the front of a value, if there is room. */
  static final int HEAD = Long.BYTES;

  private static final int PATTERN = 1 << 20;

  private final ValueSizes sizes;
  private final long seed;
  private final ByteBuffer pattern = ByteBuffer.allocateDirect(PATTERN);

  public Values(ValueSizes sizes, long seed) {
    this.sizes = sizes;
    this.seed = seed;
    SplittableRandom random = new SplittableRandom(seed);
    while (pattern.hasRemaining()) {
      pattern.putLong(random.nextLong());
    }
    pattern.flip();
  }

  long hash(long id) {
    long mixed = (id ^ seed ^ (id >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return mixed ^ (mixed >>> 31);
  }

  int size(long id) {
    return sizes.of(hash(id));
  }

  /** Returns how many bytes of the pattern follow a position of a value in one piece. */
  int piece(long id, int place, int most) {
    return Math.min(most, PATTERN - start(id, place));
  }

  /** Returns a view of the pattern, on which the caller sets limits. */
  ByteBuffer pattern() {
    return pattern.duplicate();
  }

  /** Returns the position in the pattern of a position of a value. */
  int start(long id, int place) {
    return (int) ((hash(id) & (PATTERN - 1)) + place - HEAD) & (PATTERN - 1);
  }

  void put(long id, ByteBuffer target) {
    int size = size(id);
    int inHead = Math.min(size, HEAD);
    for (int place = 0; place < inHead; place++) {
      target.put(headByte(id, place));
    }
    for (int place = inHead; place < size; ) {
      int part = piece(id, place, size - place);
      target.put(target.position(), pattern, start(id, place), part);
      target.position(target.position() + part);
      place += part;
    }
  }

  /** Returns whether bytes are those of a value from a position on; they are all consumed. */
  boolean matches(long id, int place, ByteBuffer actual, int bytes) {
    int from = actual.position();
    int end = from + bytes;
    boolean same = true;
    int at = place;
    for (; from < end && at < HEAD; from++, at++) {
      same &= actual.get(from) == headByte(id, at);
    }
    while (from < end && same) {
      int part = piece(id, at, end - from);
      same = actual.slice(from, part).mismatch(pattern.slice(start(id, at), part)) < 0;
      from += part;
      at += part;
    }
    actual.position(end);
    return same;
  }

  /** Returns whether those bytes that belong to the front of a value are right; consumes none. */
  boolean headMatches(long id, int place, ByteBuffer actual, int bytes) {
    boolean same = true;
    for (int i = 0; i < bytes && place + i < HEAD; i++) {
      same &= actual.get(actual.position() + i) == headByte(id, place + i);
    }
    return same;
  }

  private byte headByte(long id, int place) {
    return (byte) (hash(id) >>> (Long.SIZE - Byte.SIZE * (place + 1)));
  }
}
