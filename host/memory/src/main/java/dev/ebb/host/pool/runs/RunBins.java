package dev.ebb.host.pool.runs;

/**
 * Sorts lengths into bins: each length up to 64 has a bin of its own, longer ones eight bins for
 * each power of two.
 */
final class RunBins {

  static final int EXACT = 64;
  static final int COUNT = bin(Integer.MAX_VALUE) + 1;

  private RunBins() {}

  /** Returns the bin of runs of a length of at least 1; a longer run is never in a lower bin. */
  static int bin(int length) {
    if (length <= EXACT) {
      return length - 1;
    }
    int shift = 28 - Integer.numberOfLeadingZeros(length);
    return EXACT - 1 + ((shift - 3) << 3) + (length >>> shift & 7);
  }

  /** Returns the lowest bin in which every run has at least this length. */
  static int sureBin(int length) {
    return length <= EXACT ? length - 1 : bin(length - 1) + 1;
  }
}
