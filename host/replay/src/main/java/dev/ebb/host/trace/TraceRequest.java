package dev.ebb.host.trace;

import org.jspecify.annotations.Nullable;

/** One request of a trace. A view that its cursor reuses: copy the values you keep. */
public interface TraceRequest {

  /**
   * The value of {@link #outputTokens()}, {@link #sequenceId()} and {@link #turn()} if not known.
   */
  int UNKNOWN = -1;

  /** The priority of a request that states none. */
  int NORMAL_PRIORITY = 1;

  /**
   * Returns its arrival time; never before the previous request's.
   *
   * @return nanoseconds since the trace's first request
   */
  long timestampNanos();

  /**
   * Returns the length of the prompt.
   *
   * @return tokens, 0 or more
   */
  long inputTokens();

  /**
   * Returns the length of the answer.
   *
   * @return tokens, or {@link #UNKNOWN}
   */
  long outputTokens();

  /**
   * Returns the array that holds the prompt's block ids, front to back, from {@link #from()} on.
   * Shared: read only.
   *
   * @return an array of at least {@code from() + blocks()} ids
   */
  long[] ids();

  /** Returns the index in {@link #ids()} of the first block's id. */
  int from();

  /** Returns how many blocks the prompt has. */
  int blocks();

  /**
   * Returns the id of one block.
   *
   * @param index 0 for the first block of the prompt
   * @return its id, which names the block and all blocks before it
   */
  default long id(int index) {
    return ids()[from() + index];
  }

  /** Returns the id of its conversation, or {@link #UNKNOWN}. */
  default long sequenceId() {
    return UNKNOWN;
  }

  /** Returns its turn in the conversation, as the trace counts, or {@link #UNKNOWN}. */
  default int turn() {
    return UNKNOWN;
  }

  /** Returns its tenant, or null if not known. */
  default @Nullable String tenant() {
    return null;
  }

  /** Returns the kind of work, for example {@code "chat"}, or null if not known. */
  default @Nullable String workload() {
    return null;
  }

  /**
   * Returns its priority.
   *
   * @return larger is more important; {@link #NORMAL_PRIORITY} if not stated
   */
  default int priority() {
    return NORMAL_PRIORITY;
  }

  /** Returns the caller's opaque hint, 0 for none. */
  default int hint() {
    return 0;
  }

  /** Returns why its answer ended, or null if not known. */
  default @Nullable String finishReason() {
    return null;
  }

  /** Returns the model that answered, or null if not known. */
  default @Nullable String model() {
    return null;
  }

  /**
   * Returns when its client expected the next request with the same prefix, in nanoseconds, or
   * {@link #UNKNOWN}.
   */
  default long returnNanos() {
    return UNKNOWN;
  }

  /** Returns how long its blocks will be useful after it, in nanoseconds, or {@link #UNKNOWN}. */
  default long lifetimeNanos() {
    return UNKNOWN;
  }

  /** Returns the milliseconds to compute one of its blocks again, or NaN if not known. */
  default double recomputeCost() {
    return Double.NaN;
  }
}
