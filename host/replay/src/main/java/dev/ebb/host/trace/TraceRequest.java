package dev.ebb.host.trace;

import org.jspecify.annotations.Nullable;

/** One request of a trace. A view that its cursor reuses: copy what is kept. */
public interface TraceRequest {

  /** What {@link #outputTokens()}, {@link #sequenceId()} and {@link #turn()} say if not known. */
  int UNKNOWN = -1;

  /** The priority of a request that states none. */
  int NORMAL_PRIORITY = 1;

  /**
   * When it arrived; never before the request in front of it.
   *
   * @return nanoseconds since the trace's first request
   */
  long timestampNanos();

  /**
   * The length of the prompt.
   *
   * @return tokens, 0 or more
   */
  long inputTokens();

  /**
   * The length of the answer.
   *
   * @return tokens, or {@link #UNKNOWN}
   */
  long outputTokens();

  /**
   * The array that holds the prompt's block ids, front to back, from {@link #from()} on. Shared:
   * read only.
   *
   * @return an array of at least {@code from() + blocks()} ids
   */
  long[] ids();

  /**
   * Where in {@link #ids()} the first block's id is.
   *
   * @return an index
   */
  int from();

  /**
   * How many blocks the prompt has.
   *
   * @return 0 or more
   */
  int blocks();

  /**
   * The id of one block.
   *
   * @param index 0 for the first block of the prompt
   * @return its id, which names the block and all blocks before it
   */
  default long id(int index) {
    return ids()[from() + index];
  }

  /**
   * Which conversation the request continues: equal for all its turns.
   *
   * @return an id, or {@link #UNKNOWN}
   */
  default long sequenceId() {
    return UNKNOWN;
  }

  /**
   * Which turn of its conversation it is, counted as the trace counts.
   *
   * @return a number, or {@link #UNKNOWN}
   */
  default int turn() {
    return UNKNOWN;
  }

  /**
   * On whose behalf it came.
   *
   * @return the tenant, or null if not known
   */
  default @Nullable String tenant() {
    return null;
  }

  /**
   * What kind of work it is, for example {@code "chat"}.
   *
   * @return the label, or null if not known
   */
  default @Nullable String workload() {
    return null;
  }

  /**
   * How important it is.
   *
   * @return larger is more important; {@link #NORMAL_PRIORITY} if not stated
   */
  default int priority() {
    return NORMAL_PRIORITY;
  }

  /**
   * The caller's opaque hint.
   *
   * @return the hint, 0 for none
   */
  default int hint() {
    return 0;
  }
}
