package dev.ebb.host.trace;

/** A cursor over a known number of requests, which are not read from a file. */
public abstract class SizedTraceCursor implements TraceCursor {

  protected final long requests;
  private final TraceRequest request = new TraceRequest();
  private long requestsRead;

  /** Creates a cursor before its first request. */
  protected SizedTraceCursor(long requests) {
    this.requests = requests;
  }

  /**
   * Fills in the next request.
   *
   * @param index its position, 0 for the first
   * @param next has the values of the request before it
   */
  protected abstract void fill(long index, TraceRequest next);

  @Override
  public final boolean next() {
    if (requestsRead >= requests) {
      return false;
    }
    fill(requestsRead, request);
    requestsRead++;
    return true;
  }

  @Override
  public final TraceRequest request() {
    return request;
  }

  @Override
  public final long requestsRead() {
    return requestsRead;
  }

  @Override
  public final double fraction() {
    return requests == 0 ? 1 : (double) requestsRead / requests;
  }

  @Override
  public final void close() {}
}
