package dev.ebb.host.trace;

import java.util.List;

/**
 * Iterates over the requests of a trace, once, front to back. For one thread.
 *
 * <pre>{@code
 * try (TraceCursor cursor = TraceReader.open("trace.jsonl.gz", OnError.STOP)) {
 *   while (cursor.next()) {
 *     use(cursor.request());
 *   }
 * }
 * }</pre>
 */
public interface TraceCursor extends AutoCloseable {

  /**
   * Advances to the next request.
   *
   * @throws TraceException if the trace cannot be read further
   */
  boolean next();

  /** Returns the current request, which changes with the next call of {@link #next()}. */
  TraceRequest request();

  /** Returns how many requests {@link #next()} has returned: 0 before the first. */
  long requestsRead();

  /**
   * Returns how many bytes of text, after decompression, have been decoded; 0 if it is not read
   * from text.
   */
  default long bytesRead() {
    return 0;
  }

  /**
   * Returns the fraction of the trace that has been read: 0 to 1, or NaN if the end is not known.
   */
  double fraction();

  /** Returns how many malformed lines were left out: 0 unless asked to skip such lines. */
  default long skippedLines() {
    return 0;
  }

  /**
   * Returns the problems of the first few lines that were left out, each with its line number, in
   * the order of the lines.
   */
  default List<String> skippedReasons() {
    return List.of();
  }

  @Override
  void close();
}
