package dev.ebb.host.pool.runs;

/** One bit for each block. */
public final class BlockBits {

  private final long[] words;

  public BlockBits(int blocks) {
    words = new long[(blocks + 63) >>> 6];
  }

  public boolean get(int block) {
    return (words[block >>> 6] >>> block & 1) != 0;
  }

  /** Sets bits, if none of them is set already. */
  public boolean setAll(int first, int length) {
    int word = first >>> 6;
    int bit = first & 63;
    if (bit + length <= 64) {
      long bits = -1L >>> (64 - length) << bit;
      long before = words[word];
      words[word] = before | bits;
      if ((before & bits) == 0) {
        return true;
      }
      words[word] = before;
      return false;
    }
    if (firstSet(first, length) < first + length) {
      return false;
    }
    write(first, length, true);
    return true;
  }

  public void clearAll(int first, int length) {
    int bit = first & 63;
    if (bit + length <= 64) {
      words[first >>> 6] &= ~(-1L >>> (64 - length) << bit);
    } else {
      write(first, length, false);
    }
  }

  /** Returns how many bits of a range are set. */
  int count(int first, int length) {
    int end = first + length;
    int count = 0;
    for (int block = first; block < end; ) {
      int part = Math.min(64 - (block & 63), end - block);
      count += Long.bitCount(words[block >>> 6] >>> block & -1L >>> (64 - part));
      block += part;
    }
    return count;
  }

  /** Returns the first set bit of a range, or the range's end. */
  int firstSet(int first, int length) {
    return firstWhere(first, length, 0);
  }

  /** Returns the first clear bit of a range, or the range's end. */
  int firstClear(int first, int length) {
    return firstWhere(first, length, -1);
  }

  private int firstWhere(int first, int length, long inverted) {
    int end = first + length;
    int block = first;
    while (block < end) {
      long bits = (words[block >>> 6] ^ inverted) >>> block;
      if (bits != 0) {
        return Math.min(end, block + Long.numberOfTrailingZeros(bits));
      }
      block = (block | 63) + 1;
    }
    return end;
  }

  private void write(int first, int length, boolean value) {
    int end = first + length;
    for (int block = first; block < end; ) {
      int part = Math.min(64 - (block & 63), end - block);
      long bits = -1L >>> (64 - part) << block;
      if (value) {
        words[block >>> 6] |= bits;
      } else {
        words[block >>> 6] &= ~bits;
      }
      block += part;
    }
  }
}
