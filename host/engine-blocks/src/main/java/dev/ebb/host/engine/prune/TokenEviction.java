package dev.ebb.host.engine.prune;

/**
 * The result of a call that could have pruned a sequence.
 *
 * @param cause its cause; {@link Cause#NONE} if there was none
 * @param removedTokens by how many tokens the longest lane is shorter
 * @param length rows of the longest lane afterwards
 * @param freedBytes bytes returned to the pool, less those that shared blocks were copied to
 * @param policy the token policy that chose, empty if none was called
 * @param detail why nothing was dropped though there was a cause, otherwise empty
 */
public record TokenEviction(
    boolean evicted,
    Cause cause,
    int removedTokens,
    int length,
    long freedBytes,
    String policy,
    String detail) {

  public static final TokenEviction NOTHING_TO_DO =
      new TokenEviction(false, Cause.NONE, 0, 0, 0, "", "");

  /** The cause of pruning. */
  public enum Cause {
    NONE,
    /** The caller named a size, and the sequence is longer. */
    SIZE,
    /** It is longer than {@code tokens.window}. */
    LENGTH,
    /** Less memory is available than {@code tokens.memory-threshold}. */
    MEMORY,
    /** The pool is fuller than {@code eviction.threshold}, and nothing cached is evictable. */
    POOL,
    /** Its prompt has been processed, and the policy runs then. */
    PREFILL,
    /** The policy runs at every step. */
    STEP
  }
}
