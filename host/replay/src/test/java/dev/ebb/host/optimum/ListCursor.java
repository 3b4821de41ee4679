package dev.ebb.host.optimum;

import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.Arrays;
import java.util.List;

/** A trace of given block ids, ten tokens a block. */
final class ListCursor implements TraceCursor, TraceRequest {

  private final List<int[]> requests;
  private int at = -1;

  ListCursor(List<int[]> requests) {
    this.requests = requests;
  }

  @Override
  public boolean next() {
    return ++at < requests.size();
  }

  @Override
  public TraceRequest request() {
    return this;
  }

  @Override
  public long requestsRead() {
    return at + 1L;
  }

  @Override
  public double fraction() {
    return Double.NaN;
  }

  @Override
  public void close() {}

  @Override
  public long timestampNanos() {
    return at;
  }

  @Override
  public long inputTokens() {
    return 10L * blocks();
  }

  @Override
  public long outputTokens() {
    return UNKNOWN;
  }

  @Override
  public long[] ids() {
    return Arrays.stream(requests.get(at)).asLongStream().toArray();
  }

  @Override
  public int from() {
    return 0;
  }

  @Override
  public int blocks() {
    return requests.get(at).length;
  }
}
