package dev.ebb.host.replay;

import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.List;

/**
 * Turns a trace's ids into cache keys in place, as the decoder reads them, so that many runs share
 * the work.
 */
final class KeyedCursor implements TraceCursor {

  private final TraceCursor decoder;
  private final ReplayModel model;

  /** Wraps a cursor whose id array may be written to. */
  KeyedCursor(TraceCursor decoder, ReplayModel model) {
    this.decoder = decoder;
    this.model = model;
  }

  @Override
  public boolean next() {
    if (!decoder.next()) {
      return false;
    }
    TraceRequest request = decoder.request();
    long[] ids = request.ids();
    long previous = 0;
    int end = request.from() + request.blocks();
    for (int i = request.from(); i < end; i++) {
      previous = model.key(previous, ids[i]);
      ids[i] = previous;
    }
    return true;
  }

  @Override
  public TraceRequest request() {
    return decoder.request();
  }

  @Override
  public long requestsRead() {
    return decoder.requestsRead();
  }

  @Override
  public long bytesRead() {
    return decoder.bytesRead();
  }

  @Override
  public double fraction() {
    return decoder.fraction();
  }

  @Override
  public long skippedLines() {
    return decoder.skippedLines();
  }

  @Override
  public List<String> skippedReasons() {
    return decoder.skippedReasons();
  }

  @Override
  public void close() {
    decoder.close();
  }
}
