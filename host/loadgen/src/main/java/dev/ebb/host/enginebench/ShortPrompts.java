package dev.ebb.host.enginebench;

import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceRequest;
import java.util.List;

/** The requests of a trace whose prompts are not too long. */
final class ShortPrompts implements TraceCursor {

  private final TraceCursor trace;
  private final int blockTokens;
  private final long maxInputTokens;
  private long read;
  private long leftOut;

  /**
   * Creates a cursor.
   *
   * @param trace closed by its owner
   * @param blockTokens tokens of a block, for requests without a length
   * @param maxInputTokens the longest prompt
   */
  ShortPrompts(TraceCursor trace, int blockTokens, long maxInputTokens) {
    this.trace = trace;
    this.blockTokens = blockTokens;
    this.maxInputTokens = maxInputTokens;
  }

  /** Returns the length of a prompt: a recording has blocks only, and other traces tokens only. */
  static long inputTokens(TraceRequest request, int blockTokens) {
    long tokens = request.inputTokens();
    return tokens > 0 ? tokens : Math.max(1, (long) request.blocks() * blockTokens);
  }

  @Override
  public boolean next() {
    while (trace.next()) {
      if (inputTokens(trace.request(), blockTokens) <= maxInputTokens) {
        read++;
        return true;
      }
      leftOut++;
    }
    return false;
  }

  long leftOut() {
    return leftOut;
  }

  @Override
  public TraceRequest request() {
    return trace.request();
  }

  @Override
  public long requestsRead() {
    return read;
  }

  @Override
  public double fraction() {
    return trace.fraction();
  }

  @Override
  public long skippedLines() {
    return trace.skippedLines();
  }

  @Override
  public List<String> skippedReasons() {
    return trace.skippedReasons();
  }

  @Override
  public void close() {}
}
