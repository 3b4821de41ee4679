package dev.ebb.host.trace.synthetic;

import dev.ebb.host.trace.TraceCursor;
import dev.ebb.host.trace.TraceException;
import dev.ebb.host.trace.TraceRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A trace generated from a seed, in flat memory except for active conversations. Its prompts are
 * cut as real ones are: a block's id identifies the block and all blocks before it (except for
 * {@link Shape#ZIPF}). The unfinished last block is hardly ever used again.
 */
public final class SyntheticTrace implements TraceCursor {

  /** The kind of work that a synthetic trace imitates. */
  public enum Shape {
    /** Conversations of several turns, with think times, under shared system prompts. */
    CHAT,
    /** Agents with long, quickly growing prompts, which branch. */
    AGENT,
    /** Agents whose attempts begin again at random depths of a long prompt. */
    FORK,
    /** Questions about retrieved documents. */
    RAG,
    /** Independent blocks by popularity: for comparison with cache simulators. */
    ZIPF;

    /**
     * Finds a shape by its name.
     *
     * @param name its name, in lower case
     * @throws TraceException if there is no such shape
     */
    public static Shape of(String name) {
      for (Shape shape : values()) {
        if (shape.toString().equals(name)) {
          return shape;
        }
      }
      throw new TraceException(
          "synthetic trace '%s' does not exist; choose one of %s"
              .formatted(
                  name,
                  Arrays.stream(values()).map(Shape::toString).collect(Collectors.joining(", "))));
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final Workload workload;
  private final long requests;
  private final TraceRequest request = new TraceRequest();
  private long requestsRead;

  /**
   * Creates a trace before its first request.
   *
   * @param options its sizes and its seed; equal options give equal traces
   */
  public SyntheticTrace(Shape shape, SyntheticOptions options) {
    requests = options.requests;
    workload =
        switch (shape) {
          case CHAT -> new ChatWorkload(options);
          case AGENT -> new AgentWorkload(options);
          case FORK -> new ForkWorkload(options);
          case RAG -> new RagWorkload(options);
          case ZIPF -> new ZipfWorkload(options);
        };
  }

  @Override
  public boolean next() {
    if (requestsRead == requests) {
      return false;
    }
    requestsRead++;
    request.clear();
    workload.next(request);
    return true;
  }

  @Override
  public TraceRequest request() {
    return request;
  }

  @Override
  public long requestsRead() {
    return requestsRead;
  }

  @Override
  public double fraction() {
    return (double) requestsRead / requests;
  }

  @Override
  public void close() {}
}
