package dev.ebb.host.testing;

/**
 * The number and the length of random histories in tests. {@code -Debb.test.histories} is their
 * factor: 1 by default, 8 with the profile {@code stress}.
 */
public final class Histories {

  private static final int FACTOR = Integer.getInteger("ebb.test.histories", 1);

  private Histories() {}

  /** Returns how many steps or histories a test runs that usually runs so many. */
  public static int times(int usual) {
    return Math.multiplyExact(FACTOR, usual);
  }

  /** Returns which part of all cases a test runs that usually runs one in so many. */
  public static int oneIn(int usual) {
    return Math.max(1, usual / FACTOR);
  }
}
