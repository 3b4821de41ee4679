package dev.ebb.host.testing;

/**
 * How far tests follow random histories. The profile {@code stress} runs four times as many, or
 * histories that are four times as long; {@code -Debb.test.histories} sets the factor.
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
