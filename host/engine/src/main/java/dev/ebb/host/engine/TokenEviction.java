package dev.ebb.host.engine;

/**
 * What became of a call that could have pruned a sequence.
 *
 * @param evicted whether tokens left
 * @param cause what the eviction was for; {@link Cause#NONE} if there was no reason for one
 * @param removedTokens tokens that the longest lane has less
 * @param length rows of the longest lane afterwards
 * @param freedBytes bytes that went back to the pool, less those that shared blocks were copied to
 * @param policy the token policy that chose, empty if none was asked
 * @param detail why nothing left though there was a cause, else empty
 */
public record TokenEviction(
    boolean evicted,
    Cause cause,
    int removedTokens,
    int length,
    long freedBytes,
    String policy,
    String detail) {

  static final TokenEviction NOTHING_TO_DO = new TokenEviction(false, Cause.NONE, 0, 0, 0, "", "");

  /** Why a sequence is to be pruned. */
  public enum Cause {
    /** There is no reason. */
    NONE,
    /** The caller named a size, and the sequence is longer. */
    SIZE,
    /** It is longer than {@code tokens.window}. */
    LENGTH,
    /** Less memory is available than {@code tokens.memory-threshold}. */
    MEMORY,
    /** The pool is fuller than {@code eviction.threshold}, and nothing cached can leave. */
    POOL,
    /** Its prompt has been processed, and the policy runs then. */
    PREFILL,
    /** The policy runs at every step. */
    STEP
  }
}
