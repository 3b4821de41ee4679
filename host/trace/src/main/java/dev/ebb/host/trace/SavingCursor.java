package dev.ebb.host.trace;

import java.nio.file.Path;
import java.util.List;

/** Saves a trace while it is read. The file appears once all of it was {@link #saveRest read}. */
public final class SavingCursor implements TraceCursor {

  private final TraceCursor source;
  private final TraceWriter writer;

  /**
   * Creates a cursor before the source's next request.
   *
   * @param source the trace; closed with this
   * @throws TraceException if it cannot be written
   */
  public SavingCursor(TraceCursor source, Path file) {
    this.source = source;
    this.writer = new TraceWriter(file);
  }

  /**
   * Reads and saves the rest, and moves the file to its target.
   *
   * @throws TraceException if it cannot be written
   */
  public void saveRest() {
    while (next()) {
      // Saved by next().
    }
    writer.finish();
  }

  @Override
  public boolean next() {
    if (!source.next()) {
      return false;
    }
    writer.write(source.request());
    return true;
  }

  @Override
  public TraceRequest request() {
    return source.request();
  }

  @Override
  public long requestsRead() {
    return source.requestsRead();
  }

  @Override
  public long bytesRead() {
    return source.bytesRead();
  }

  @Override
  public double fraction() {
    return source.fraction();
  }

  @Override
  public long skippedLines() {
    return source.skippedLines();
  }

  @Override
  public List<String> skippedReasons() {
    return source.skippedReasons();
  }

  @Override
  public void close() {
    writer.close();
    source.close();
  }
}
