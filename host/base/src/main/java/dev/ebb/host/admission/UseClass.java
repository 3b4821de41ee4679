package dev.ebb.host.admission;

/**
 * A class of values that return alike. It is one number, so that statistics are arrays. Coarse
 * classes are by uses and chunks behind it, fine ones also by depth and length of the answer.
 */
final class UseClass {

  private static final int USES = 3;
  private static final int CHILDREN = 3;
  private static final int DEPTHS = 14;
  private static final int LENGTHS = 6;

  static final int COARSE = USES * CHILDREN;

  static final int COUNT = COARSE * DEPTHS * LENGTHS;

  private UseClass() {}

  static int of(EvictedUse value) {
    int coarse =
        (Math.clamp(value.uses(), 1, USES) - 1) * CHILDREN
            + Math.clamp(value.childrenSeen(), 0, CHILDREN - 1);
    int depth = Math.min(Integer.SIZE - Integer.numberOfLeadingZeros(value.depth()), DEPTHS - 1);
    return (coarse * DEPTHS + depth) * LENGTHS + length(value.outputTokens());
  }

  static int coarse(int useClass) {
    return useClass / (DEPTHS * LENGTHS);
  }

  /** Returns the third of the logarithm: up to 7 tokens, 63, 511, 4,095, more; or unknown. */
  private static int length(long tokens) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, tokens));
    return tokens < 0 ? LENGTHS - 1 : Math.min(bits / 3, LENGTHS - 2);
  }
}
