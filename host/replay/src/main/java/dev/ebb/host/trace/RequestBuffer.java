package dev.ebb.host.trace;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A request that its cursor fills again and again. */
public final class RequestBuffer implements TraceRequest {

  public long timestampNanos;
  public long inputTokens;
  public long outputTokens;
  public long[] ids = new long[256];
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

  public RequestBuffer() {
    clear();
  }

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
  }

  /** Copies another request. */
  public void set(TraceRequest other) {
    timestampNanos = other.timestampNanos();
    inputTokens = other.inputTokens();
    outputTokens = other.outputTokens();
    blocks = other.blocks();
    if (ids.length < blocks) {
      ids = new long[blocks];
    }
    System.arraycopy(other.ids(), other.from(), ids, 0, blocks);
    sequenceId = other.sequenceId();
    turn = other.turn();
    tenant = other.tenant();
    workload = other.workload();
    priority = other.priority();
    hint = other.hint();
    finishReason = other.finishReason();
    model = other.model();
    returnNanos = other.returnNanos();
    lifetimeNanos = other.lifetimeNanos();
    recomputeCost = other.recomputeCost();
  }

  public void addId(long id) {
    if (blocks == ids.length) {
      ids = Arrays.copyOf(ids, 2 * blocks);
    }
    ids[blocks++] = id;
  }

  @Override
  public long timestampNanos() {
    return timestampNanos;
  }

  @Override
  public long inputTokens() {
    return inputTokens;
  }

  @Override
  public long outputTokens() {
    return outputTokens;
  }

  @Override
  public long[] ids() {
    return ids;
  }

  @Override
  public int from() {
    return 0;
  }

  @Override
  public int blocks() {
    return blocks;
  }

  @Override
  public long sequenceId() {
    return sequenceId;
  }

  @Override
  public int turn() {
    return turn;
  }

  @Override
  public @Nullable String tenant() {
    return tenant;
  }

  @Override
  public @Nullable String workload() {
    return workload;
  }

  @Override
  public int priority() {
    return priority;
  }

  @Override
  public int hint() {
    return hint;
  }

  @Override
  public @Nullable String finishReason() {
    return finishReason;
  }

  @Override
  public @Nullable String model() {
    return model;
  }

  @Override
  public long returnNanos() {
    return returnNanos;
  }

  @Override
  public long lifetimeNanos() {
    return lifetimeNanos;
  }

  @Override
  public double recomputeCost() {
    return recomputeCost;
  }
}
