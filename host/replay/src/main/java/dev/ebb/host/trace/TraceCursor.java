package dev.ebb.host.trace;

import java.util.List;

/**
 * Walks over the requests of a trace, once, front to back. For one thread.
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
   * Steps to the next request.
   *
   * @return false if there is none
   * @throws TraceException if the trace cannot be read further
   */
  boolean next();

  /**
   * The request that {@link #next()} stepped to; always the same object.
   *
   * @return a view, valid until the next call of {@link #next()}
   */
  TraceRequest request();

  /**
   * How many requests {@link #next()} has stepped over.
   *
   * @return 0 before the first
   */
  long requestsRead();

  /**
   * How many bytes of text, after decompression, have been decoded.
   *
   * @return bytes; 0 if the trace does not come as text
   */
  default long bytesRead() {
    return 0;
  }

  /**
   * How much of the trace lies behind.
   *
   * @return 0 to 1, or NaN if the end is not known
   */
  double fraction();

  /**
   * How many malformed lines were left out.
   *
   * @return 0 unless asked to skip such lines
   */
  default long skippedLines() {
    return 0;
  }

  /**
   * What was wrong with the first few lines that were left out, each with its line number.
   *
   * @return messages in the order of the lines
   */
  default List<String> skippedReasons() {
    return List.of();
  }

  @Override
  void close();
}
