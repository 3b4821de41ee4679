package dev.ebb.host.config.key;

/**
 * How Ebb reads the priorities that clients state.
 *
 * @param sign 1 if a larger number is more important and 1 is normal; -1 if a smaller one is and 0
 *     is normal, as in vLLM
 * @param limit the largest distance from the normal priority; 0 makes all requests equal
 */
public record PriorityScale(int sign, int limit) {

  /** The default: a larger number is more important, without a limit. */
  public static final PriorityScale LARGER_FIRST = new PriorityScale(1, Integer.MAX_VALUE);

  private static final int NORMAL = 1;

  /** Returns the number that clients state for the normal priority. */
  public int normal() {
    return sign < 0 ? 0 : NORMAL;
  }

  /** Returns the priority that Ebb uses, where a larger number is more important. */
  public int of(int stated) {
    long difference = ((long) stated - normal()) * sign;
    long used = NORMAL + (long) Math.clamp(difference, -limit, limit);
    return Math.clamp(used, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }
}
