package dev.ebb.spi.sim;

import dev.ebb.spi.Request;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request over dense numbers, whose attributes a test may set. */
public final class SimRequest extends SimCaller implements Request {

  public int[] ids;
  public long nanos;
  public long outputTokens = -1;

  public @Nullable String finishReason;
  public @Nullable String model;
  public long returnAfterNanos = -1;

  /** That of each block. */
  public int retention;

  /** How many leading blocks are in a known order. */
  public int ordered = Integer.MAX_VALUE;

  /** The requests that wait behind it, next first. */
  public List<SimRequest> waiting = List.of();

  private int matched;

  /** A request that arrives at time 0, of which nothing else is known. */
  public SimRequest(int... ids) {
    this.ids = ids;
  }

  /** Becomes another request, as the host's does, which is reused. */
  SimRequest become(SimRequest other, int matchedBlocks) {
    callFor(other);
    ids = other.ids;
    nanos = other.nanos;
    outputTokens = other.outputTokens;
    finishReason = other.finishReason;
    model = other.model;
    returnAfterNanos = other.returnAfterNanos;
    retention = other.retention;
    ordered = other.ordered;
    waiting = other.waiting;
    matched = matchedBlocks;
    return this;
  }

  /** Hides what only its end shows. */
  SimRequest beforeItsEnd() {
    hint = 0;
    outputTokens = -1;
    finishReason = null;
    returnAfterNanos = -1;
    return this;
  }

  @Override
  public int blocks() {
    return ids.length;
  }

  @Override
  public int matched() {
    return matched;
  }

  @Override
  public int ordered() {
    return Math.min(ordered, ids.length);
  }

  @Override
  public long fingerprint(int index) {
    return SimEntry.fingerprint(ids[Objects.checkIndex(index, ids.length)]);
  }

  @Override
  public long inputTokens() {
    return -1;
  }

  @Override
  public long outputTokens() {
    return outputTokens;
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
  public long returnAfterNanos() {
    return returnAfterNanos;
  }

  @Override
  public int retention(int index) {
    return retention;
  }

  @Override
  public int waiting() {
    return waiting.size();
  }

  @Override
  public SimRequest waiting(int index) {
    return waiting.get(index);
  }
}
