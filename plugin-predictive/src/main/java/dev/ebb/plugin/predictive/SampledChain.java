package dev.ebb.plugin.predictive;

import java.util.Arrays;

/** The simulated blocks of a request with their classes, the deepest first. */
final class SampledChain {

  private long[] fingerprints = new long[64];
  private int[] classes = new int[64];
  private int size;
  private int hint;

  /**
   * Empties the chain.
   *
   * @param hintBefore the hint of the request before its end
   */
  void clear(int hintBefore) {
    size = 0;
    hint = hintBefore;
  }

  /** Adds the block before those so far. */
  void add(long fingerprint, int blockClass) {
    if (size == classes.length) {
      fingerprints = Arrays.copyOf(fingerprints, size * 2);
      classes = Arrays.copyOf(classes, size * 2);
    }
    fingerprints[size] = fingerprint;
    classes[size++] = blockClass;
  }

  int size() {
    return size;
  }

  /** Returns the name of a block, the first one of the prompt having the number 0. */
  long fingerprint(int index) {
    return fingerprints[size - 1 - index];
  }

  int blockClass(int index) {
    return classes[size - 1 - index];
  }

  /** Returns the class of a block as it was known before the end of the request. */
  int expected(int index) {
    return BlockClass.beforeEnd(blockClass(index), hint);
  }
}
