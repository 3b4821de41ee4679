package dev.ebb.dist;

/**
 * How often tests repeat something. The profile {@code stress} does it more often, and lets the JVM
 * optimise code as it does for users; {@code -Debb.test.histories} sets the factor.
 */
final class Rounds {

  private static final int FACTOR = Integer.getInteger("ebb.test.histories", 1);

  private Rounds() {}

  /** Returns how many rounds a test runs that usually runs so many. */
  static int times(int usual) {
    return Math.multiplyExact(FACTOR, usual);
  }

  /** Returns whether this is a run of the usual tests. */
  static boolean usual() {
    return FACTOR == 1;
  }
}
