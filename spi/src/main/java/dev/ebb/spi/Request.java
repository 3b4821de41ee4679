package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * One use of the cache by a client: a prompt, as the chain of its blocks. Reused by the host
 * between calls: copy what you keep.
 *
 * @since 1.0.0
 */
public interface Request {

  /**
   * Returns the length of the chain.
   *
   * @return blocks of the prompt; 0 for an engine's prompt that is shorter than one block
   */
  int blocks();

  /**
   * Returns how many leading blocks were resident when the request arrived.
   *
   * @return 0 to {@link #blocks()}
   */
  int matched();

  /**
   * Returns how many leading blocks an earlier {@link BlockPolicy#began} has listed already: a
   * server may report a long request in several parts.
   *
   * @return 0 to {@link #blocks()}; 0 for the first part
   * @since 1.5.0
   */
  default int reported() {
    return 0;
  }

  /**
   * Returns how many leading blocks are known to be in this order. A server that sees only what
   * engines look up and store knows which blocks a request stored, but not always their order. An
   * entry among the others has an assumed depth.
   *
   * @return 0 to {@link #blocks()}; 0 only if there are no blocks
   * @since 1.0.0
   */
  default int ordered() {
    return blocks();
  }

  /**
   * Returns the name of one block of the chain, resident or not.
   *
   * @param index 0 for the first block
   * @return {@link Entry#fingerprint()} of that block's entry
   * @throws IndexOutOfBoundsException if there is no such block
   */
  long fingerprint(int index);

  /**
   * Returns the length of the prompt.
   *
   * @return tokens, or -1 if unknown
   */
  long inputTokens();

  /**
   * Returns the length of the answer. Known at {@link BlockPolicy#ended} if the engine reports it.
   *
   * @return tokens, or -1 if unknown
   */
  long outputTokens();

  /**
   * Returns the sequence (conversation, agent run) it belongs to.
   *
   * @return an opaque id, or -1 if unknown
   */
  long sequenceId();

  /**
   * Returns the turn of that sequence.
   *
   * @return 1 for the first turn, or -1 if unknown
   */
  int turn();

  /**
   * Returns the priority of the request; larger is more important.
   *
   * @return 0 low, 1 normal, 2 high, or any other number the caller gave
   */
  int priority();

  /**
   * Returns the tenant that sent it.
   *
   * @return the tenant's name, or null if unknown
   */
  @Nullable String tenant();

  /**
   * Returns the kind of work, for example {@code "chat"} or {@code "agent"}.
   *
   * @return the label, or null if unknown
   */
  @Nullable String workload();

  /**
   * Returns an opaque small number from the caller: one-shot, interactive, will return ... Only the
   * caller knows its meaning; a policy may learn what it predicts. It may be another one at {@link
   * BlockPolicy#ended}, when the caller knows more.
   *
   * @return the hint, 0 if none
   */
  default int hint() {
    return 0;
  }

  /**
   * Returns why the answer ended, as the engine reports it. Known at {@link BlockPolicy#ended}.
   *
   * @return for example {@code "stop"}, {@code "length"} or {@code "tool_calls"}; null if unknown
   * @since 1.3.0
   */
  default @Nullable String finishReason() {
    return null;
  }

  /**
   * Returns the model that answered.
   *
   * @return the model's name, or null if unknown
   * @since 1.3.0
   */
  default @Nullable String model() {
    return null;
  }

  /**
   * Returns the caller's own estimate of when the next request with the same prefix comes, counted
   * from the end of this one. Known at {@link BlockPolicy#ended}.
   *
   * @return nanoseconds, or -1 if none was given
   * @since 1.3.0
   */
  default long returnAfterNanos() {
    return -1;
  }

  /**
   * Returns the caller's own estimate of how long the blocks of the request will be useful after
   * it.
   *
   * @return nanoseconds, or -1 if none was given
   * @since 1.0.0
   */
  default long lifetimeHintNanos() {
    return -1;
  }

  /**
   * Returns the cost of computing one entry of the request again, as its caller has measured or
   * estimated it.
   *
   * @return milliseconds of prefill, or NaN if unknown
   * @since 1.0.0
   */
  default double recomputeCost() {
    return Double.NaN;
  }

  /**
   * Returns how strongly the caller asks to keep a block of the chain after the request. Known at
   * {@link BlockPolicy#ended}.
   *
   * @param index 0 for the first block
   * @return as {@link Entry#retention}, which an earlier request may have raised
   * @since 1.7.0
   */
  default int retention(int index) {
    return 0;
  }

  /**
   * Returns how many requests are known to wait for their turn after this one. An engine knows its
   * queue, and a replay knows the trace. Valid only during {@link BlockPolicy#began}, as is
   * everything that {@link #waiting(int)} returns.
   *
   * @return waiting requests, 0 if there are none or if the host does not know; it may list only
   *     the first ones
   * @since 1.4.0
   */
  default int waiting() {
    return 0;
  }

  /**
   * Returns a waiting request, so that the policy can keep the blocks that it will need. It shows
   * {@link #blocks()}, {@link #fingerprint}, and what was known when it was queued: tenant,
   * workload, priority, sequence and turn. It has not been matched, so {@link #matched()} is 0. It
   * may be cancelled, or be overtaken by a request that arrives later.
   *
   * @param index 0 for the request that is expected next
   * @return the request; the host may return the same object for another one later
   * @throws IndexOutOfBoundsException if fewer requests wait
   * @since 1.4.0
   */
  default Request waiting(int index) {
    throw new IndexOutOfBoundsException(index);
  }
}
