package dev.ebb.host.optimum;

import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.List;

/** A trace of given block ids, ten tokens a block. */
final class ListCursor implements TraceCursor {

  private final List<int[]> requests;
  private final TraceRequest request = new TraceRequest();
  private int at = -1;

  ListCursor(List<int[]> requests) {
    this.requests = requests;
  }

  @Override
  public boolean next() {
    if (++at >= requests.size()) {
      return false;
    }
    request.clear();
    request.timestampNanos = at;
    request.inputTokens = 10L * requests.get(at).length;
    for (int id : requests.get(at)) {
      request.addId(id);
    }
    return true;
  }

  @Override
  public TraceRequest request() {
    return request;
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
}
