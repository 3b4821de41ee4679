package dev.ebb.host.trace;

import dev.ebb.host.cache.index.Retention;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One request of a trace, which its cursor fills again and again: copy the values you keep. Cursors
 * write the fields; all others call the methods.
 */
public final class TraceRequest {

  /** The value of a number that is not known. */
  public static final int UNKNOWN = -1;

  /** The priority of a request that states none. */
  public static final int NORMAL_PRIORITY = 1;

  public long timestampNanos;
  public long inputTokens;
  public long outputTokens;
  public long[] ids = new long[256];
  public int from;
  public int blocks;
  public long sequenceId;
  public int turn;
  public @Nullable String tenant;
  public @Nullable String workload;
  public int priority;
  public int hint;
  public @Nullable String finishReason;
  public @Nullable String model;
  public long returnNanos;
  public long lifetimeNanos;
  public double recomputeCost;
  public @Nullable String groups;
  public @Nullable Retention retention;

  /** Creates a request without blocks of which nothing is known. */
  public TraceRequest() {
    clear();
  }

  /**
   * Returns a recorded access of an object, or of the chunks of a prompt: each block is a token.
   */
  public static TraceRequest access(long timestampNanos, long[] ids, @Nullable String tenant) {
    TraceRequest access = new TraceRequest();
    access.timestampNanos = timestampNanos;
    access.inputTokens = ids.length;
    access.ids = ids;
    access.blocks = ids.length;
    access.tenant = tenant;
    return access;
  }

  /** Removes the blocks and all that is known. */
  public void clear() {
    timestampNanos = 0;
    inputTokens = 0;
    outputTokens = UNKNOWN;
    blocks = 0;
    sequenceId = UNKNOWN;
    turn = UNKNOWN;
    tenant = null;
    workload = null;
    priority = NORMAL_PRIORITY;
    hint = 0;
    finishReason = null;
    model = null;
    returnNanos = UNKNOWN;
    lifetimeNanos = UNKNOWN;
    recomputeCost = Double.NaN;
    groups = null;
    retention = null;
  }

  /** Adds a block to an array of ids that is not shared. */
  public void addId(long id) {
    if (blocks == ids.length) {
      ids = Arrays.copyOf(ids, 2 * blocks);
    }
    ids[blocks++] = id;
  }

  /**
   * Returns its arrival time in nanoseconds since the trace's first request; never before the
   * previous request's.
   */
  public long timestampNanos() {
    return timestampNanos;
  }

  /** Returns the length of the prompt in tokens, 0 or more. */
  public long inputTokens() {
    return inputTokens;
  }

  /** Returns the length of the answer in tokens, or {@link #UNKNOWN}. */
  public long outputTokens() {
    return outputTokens;
  }

  /**
   * Returns the array that holds the prompt's block ids, front to back, from {@link #from()} on.
   * Shared: read only.
   */
  public long[] ids() {
    return ids;
  }

  /** Returns the index in {@link #ids()} of the first block's id. */
  public int from() {
    return from;
  }

  /** Returns how many blocks the prompt has. */
  public int blocks() {
    return blocks;
  }

  /** Returns the id of one block, from 0, which names the block and all blocks before it. */
  public long id(int index) {
    return ids[from + index];
  }

  /** Returns the id of its conversation, or {@link #UNKNOWN}. */
  public long sequenceId() {
    return sequenceId;
  }

  /** Returns its turn in the conversation, as the trace counts, or {@link #UNKNOWN}. */
  public int turn() {
    return turn;
  }

  /** Returns its tenant, or null if not known. */
  public @Nullable String tenant() {
    return tenant;
  }

  /** Returns the kind of work, for example {@code "chat"}, or null if not known. */
  public @Nullable String workload() {
    return workload;
  }

  /** Returns its priority: larger is more important. */
  public int priority() {
    return priority;
  }

  /** Returns the caller's opaque hint, 0 for none. */
  public int hint() {
    return hint;
  }

  /** Returns why its answer ended, or null if not known. */
  public @Nullable String finishReason() {
    return finishReason;
  }

  /** Returns the model that answered, or null if not known. */
  public @Nullable String model() {
    return model;
  }

  /**
   * Returns when its client expected the next request with the same prefix, in nanoseconds, or
   * {@link #UNKNOWN}.
   */
  public long returnNanos() {
    return returnNanos;
  }

  /** Returns how long its blocks will be useful after it, in nanoseconds, or {@link #UNKNOWN}. */
  public long lifetimeNanos() {
    return lifetimeNanos;
  }

  /**
   * Returns the object groups of its model with the sizes of their objects, such as {@code
   * full:1,state:3}; null if not known.
   */
  public @Nullable String groups() {
    return groups;
  }

  /**
   * Returns how strongly its client asks to keep its blocks, by ranges of tokens; null if it does
   * not.
   */
  public @Nullable Retention retention() {
    return retention;
  }

  /** Returns the milliseconds to compute one of its blocks again, or NaN if not known. */
  public double recomputeCost() {
    return recomputeCost;
  }
}
