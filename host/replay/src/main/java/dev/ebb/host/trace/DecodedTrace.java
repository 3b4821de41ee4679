package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole trace in memory: one primitive array per field, some 60 bytes a request and 8 a block
 * reference. Immutable, so any number of threads may walk over it, each with its own {@link
 * #cursor()}.
 */
public final class DecodedTrace {

  /** Hears how far decoding has come, every few thousand requests and at the end. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Called on the decoding thread.
     *
     * @param requests requests decoded so far
     * @param fraction {@link TraceCursor#fraction()}
     */
    void at(long requests, double fraction);
  }

  private final String name;
  private final RequestColumns columns;
  private final long decodedBytes;
  private final long decodeNanos;
  private final long skippedLines;
  private final List<String> skippedReasons;
  private long distinctBlocks = -1;

  DecodedTrace(String name, RequestColumns columns, TraceCursor source, long decodeNanos) {
    this.name = name;
    this.columns = columns;
    this.decodedBytes = source.bytesRead();
    this.decodeNanos = decodeNanos;
    this.skippedLines = source.skippedLines();
    this.skippedReasons = List.copyOf(source.skippedReasons());
  }

  /**
   * Reads a trace to its end, or to a limit. Does not close the cursor.
   *
   * @param name what the trace is called in reports
   * @param source where the requests come from
   * @param limit the most requests to take, at least 1
   * @param progress hears how far it has come
   * @return the trace
   * @throws TraceException if the source cannot be read, or holds more than 2 billion references
   */
  public static DecodedTrace decode(
      String name, TraceCursor source, long limit, Progress progress) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is '%d', must be at least 1".formatted(limit));
    }
    long started = System.nanoTime();
    RequestColumns columns = new RequestColumns();
    while (columns.requests() < limit && source.next()) {
      columns.add(name, source.request());
      if ((columns.requests() & 0xfff) == 0) {
        progress.at(columns.requests(), source.fraction());
      }
    }
    columns.trim();
    progress.at(columns.requests(), source.fraction());
    return new DecodedTrace(name, columns, source, System.nanoTime() - started);
  }

  /**
   * Reads a trace to its end.
   *
   * @param name what the trace is called in reports
   * @param source where the requests come from
   * @return the trace
   * @throws TraceException if the source cannot be read
   */
  public static DecodedTrace decode(String name, TraceCursor source) {
    return decode(name, source, Long.MAX_VALUE, (requests, fraction) -> {});
  }

  /**
   * What the trace is called in reports.
   *
   * @return a name
   */
  public String name() {
    return name;
  }

  /**
   * How many requests it holds.
   *
   * @return 0 or more
   */
  public int requests() {
    return columns.requests();
  }

  /**
   * How many block references its requests make together.
   *
   * @return 0 or more
   */
  public int references() {
    return columns.starts[requests()];
  }

  /**
   * The lengths of all prompts together.
   *
   * @return tokens
   */
  public long requestTokens() {
    return Arrays.stream(columns.inputTokens).sum();
  }

  /**
   * How many different blocks it refers to. Counted at the first call.
   *
   * @return 0 or more
   */
  public synchronized long distinctBlocks() {
    if (distinctBlocks < 0) {
      distinctBlocks = new LongOpenHashSet(columns.ids).size();
    }
    return distinctBlocks;
  }

  /**
   * The block ids of all requests, one after the other. Shared: read only.
   *
   * @return {@link #references()} ids
   */
  public long[] ids() {
    return columns.ids;
  }

  /**
   * Where in {@link #ids()} a request's blocks begin; they end where those of the next one begin.
   *
   * @param request 0 to {@link #requests()}, inclusive
   * @return an index
   */
  public int start(int request) {
    return columns.starts[request];
  }

  /**
   * The length of one prompt.
   *
   * @param request 0 to {@link #requests()}, exclusive
   * @return tokens
   */
  public long inputTokens(int request) {
    return columns.inputTokens[request];
  }

  /**
   * How much text was decoded, after decompression.
   *
   * @return bytes; 0 if the trace did not come as text
   */
  public long decodedBytes() {
    return decodedBytes;
  }

  /**
   * How long decoding took.
   *
   * @return nanoseconds
   */
  public long decodeNanos() {
    return decodeNanos;
  }

  /**
   * How many malformed lines were left out.
   *
   * @return 0 or more
   */
  public long skippedLines() {
    return skippedLines;
  }

  /**
   * What was wrong with the first few lines that were left out.
   *
   * @return messages in the order of the lines
   */
  public List<String> skippedReasons() {
    return skippedReasons;
  }

  /**
   * A cursor of its own at the trace's start.
   *
   * @return a cursor that reads memory and need not be closed
   */
  public TraceCursor cursor() {
    return new MemoryCursor(columns);
  }

  private static final class MemoryCursor implements TraceCursor, TraceRequest {
    private final RequestColumns columns;
    private int at = -1;

    MemoryCursor(RequestColumns columns) {
      this.columns = columns;
    }

    @Override
    public boolean next() {
      if (at + 1 >= columns.requests()) {
        return false;
      }
      at++;
      return true;
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
      return columns.requests() == 0 ? 1 : (at + 1.0) / columns.requests();
    }

    @Override
    public void close() {}

    @Override
    public long timestampNanos() {
      return columns.timestamps[at];
    }

    @Override
    public long inputTokens() {
      return columns.inputTokens[at];
    }

    @Override
    public long outputTokens() {
      return columns.outputTokens[at];
    }

    @Override
    public long[] ids() {
      return columns.ids;
    }

    @Override
    public int from() {
      return columns.starts[at];
    }

    @Override
    public int blocks() {
      return columns.starts[at + 1] - columns.starts[at];
    }

    @Override
    public long sequenceId() {
      return columns.sequenceIds[at];
    }

    @Override
    public int turn() {
      return columns.turns[at];
    }

    @Override
    public @Nullable String tenant() {
      return columns.label(columns.tenants[at]);
    }

    @Override
    public @Nullable String workload() {
      return columns.label(columns.workloads[at]);
    }

    @Override
    public int priority() {
      return columns.priorities[at];
    }

    @Override
    public int hint() {
      return columns.hints[at];
    }
  }
}
