package dev.ebb.host.optimum;

/**
 * A set of references below a fixed bound that knows its largest member. It is a tree of bit sets:
 * each bit of a level says whether a word of the level below has any bit. Every operation takes one
 * word per level, at most six; memory is little over one bit a reference.
 */
final class ReferenceSet {

  private final long[][] levels;
  private int size;

  ReferenceSet(int bound) {
    int depth = 1;
    for (int words = words(bound); words > 1; words = words(words)) {
      depth++;
    }
    levels = new long[depth][];
    int words = bound;
    for (int level = 0; level < depth; level++) {
      words = words(words);
      levels[level] = new long[words];
    }
  }

  int size() {
    return size;
  }

  boolean contains(int reference) {
    return (levels[0][reference >>> 6] & 1L << reference) != 0;
  }

  void add(int reference) {
    size++;
    int bit = reference;
    for (long[] level : levels) {
      long before = level[bit >>> 6];
      level[bit >>> 6] = before | 1L << bit;
      if (before != 0) {
        return;
      }
      bit >>>= 6;
    }
  }

  /** Removes a reference; false if it was not in the set. */
  boolean remove(int reference) {
    if (!contains(reference)) {
      return false;
    }
    size--;
    int bit = reference;
    for (long[] level : levels) {
      long left = level[bit >>> 6] & ~(1L << bit);
      level[bit >>> 6] = left;
      if (left != 0) {
        return true;
      }
      bit >>>= 6;
    }
    return true;
  }

  /** Returns the largest reference of a non-empty set. */
  int largest() {
    int word = 0;
    for (int level = levels.length - 1; level >= 0; level--) {
      word = (word << 6) + Long.SIZE - 1 - Long.numberOfLeadingZeros(levels[level][word]);
    }
    return word;
  }

  private static int words(int bits) {
    return Math.max(1, (bits + Long.SIZE - 1) >>> 6);
  }
}
