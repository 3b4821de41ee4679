package dev.ebb.host.replay.tiers;

/**
 * A class of blocks that return alike, by their last use. It is one number, so that statistics are
 * arrays.
 */
final class UseProfile {

  private static final int POSITIONS = 4;
  private static final int MATCHES = 5;
  private static final int LENGTHS = 14;
  private static final int USES = 3;

  /** How many coarse classes there are: by uses and position only. */
  static final int COARSE = USES * POSITIONS;

  /** How many classes there are. */
  static final int COUNT = COARSE * MATCHES * LENGTHS;

  private UseProfile() {}

  /**
   * Returns the class of a block.
   *
   * @param uses the requests that used it, this one included
   * @param index its place in the request
   * @param blocks the blocks of the request
   * @param matched how many of them were found
   * @param outputTokens length of the answer; -1 if unknown
   */
  static int of(int uses, int index, int blocks, int matched, long outputTokens) {
    int coarse = (Math.min(uses, USES) - 1) * POSITIONS + position(blocks - 1 - index);
    return (coarse * MATCHES + match(matched, blocks)) * LENGTHS + length(outputTokens);
  }

  /** Returns the coarse class of a class. */
  static int coarse(int profile) {
    return profile / (MATCHES * LENGTHS);
  }

  /** The last block of a prompt is seldom full, and those before it seldom end alike. */
  private static int position(int fromEnd) {
    return fromEnd < 2 ? fromEnd : fromEnd < 4 ? 2 : 3;
  }

  private static int match(int matched, int blocks) {
    if (matched < 2) {
      return matched;
    }
    return 2 * matched < blocks ? 2 : matched < blocks - 1 ? 3 : 4;
  }

  private static int length(long tokens) {
    return tokens < 0 ? LENGTHS - 1 : Math.min(Long.SIZE - Long.numberOfLeadingZeros(tokens), 12);
  }
}
