package dev.ebb.host.trace;

import dev.ebb.host.cache.index.Retention;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A whole trace in memory: one primitive array per field, some 70 bytes a request and 8 a block
 * reference. Immutable, so any number of threads may read it, each with its own {@link #cursor()}.
 */
public final class DecodedTrace {

  /** Receives the progress of decoding, every few thousand requests and at the end. */
  @FunctionalInterface
  public interface Progress {
    /** Called on the decoding thread. */
    void at(long requests, double fraction);
  }

  /** Replaces the ids of a request by others, in place. */
  @FunctionalInterface
  public interface Keys {
    void replace(long[] ids, int from, int to);
  }

  private final String name;
  private final RequestColumns columns;
  private final long decodedBytes;
  private final long decodeNanos;
  private final long skippedLines;
  private final List<String> skippedReasons;
  private long distinctBlocks = -1;

  /** What the requests retain, in place of what they state; null for that. */
  private final @Nullable Retention @Nullable [] retentions;

  private DecodedTrace(DecodedTrace other, @Nullable Retention[] retentions) {
    name = other.name;
    columns = other.columns;
    decodedBytes = other.decodedBytes;
    decodeNanos = other.decodeNanos;
    skippedLines = other.skippedLines;
    skippedReasons = other.skippedReasons;
    this.retentions = retentions;
  }

  DecodedTrace(String name, RequestColumns columns, TraceCursor source, long decodeNanos) {
    this.name = name;
    this.columns = columns;
    this.decodedBytes = source.bytesRead();
    this.decodeNanos = decodeNanos;
    this.skippedLines = source.skippedLines();
    this.skippedReasons = List.copyOf(source.skippedReasons());
    this.retentions = null;
  }

  /**
   * Reads a trace to its end, or to a limit. Does not close the cursor.
   *
   * @throws TraceException if the source cannot be read, or holds more than 2 billion references
   */
  public static DecodedTrace decode(
      String name, TraceCursor source, long limit, Progress progress) {
    return decode(name, source, limit, request -> true, (ids, from, to) -> {}, progress);
  }

  /**
   * Reads a part of a trace, with other ids.
   *
   * @param keys replaces the ids of each request
   * @throws TraceException if the source cannot be read, or holds more than 2 billion references
   */
  public static DecodedTrace decode(
      String name,
      TraceCursor source,
      long limit,
      Predicate<TraceRequest> wanted,
      Keys keys,
      Progress progress) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit is '%d', must be at least 1".formatted(limit));
    }
    long started = System.nanoTime();
    RequestColumns columns = new RequestColumns();
    while (columns.requests() < limit && source.next()) {
      if (wanted.test(source.request())) {
        int from = columns.starts[columns.requests()];
        columns.add(name, source.request());
        keys.replace(columns.ids, from, columns.starts[columns.requests()]);
        if ((columns.requests() & 0xfff) == 0) {
          progress.at(columns.requests(), source.fraction());
        }
      }
    }
    columns.trim();
    progress.at(columns.requests(), source.fraction());
    return new DecodedTrace(name, columns, source, System.nanoTime() - started);
  }

  /**
   * Reads a trace to its end.
   *
   * @throws TraceException if the source cannot be read
   */
  public static DecodedTrace decode(String name, TraceCursor source) {
    return decode(name, source, Long.MAX_VALUE, (requests, fraction) -> {});
  }

  /**
   * Returns the same trace with other hints.
   *
   * @param retained what each request retains, by ranges of tokens
   */
  public DecodedTrace withRetentions(@Nullable Retention[] retained) {
    return new DecodedTrace(this, retained.clone());
  }

  /** Returns whether all its requests have the same priority. */
  public boolean hasOnePriority() {
    return Arrays.stream(columns.priorities, 0, requests()).distinct().limit(2).count() < 2;
  }

  /** Returns whether a request of the file retains blocks. */
  public boolean hasRetentions() {
    return Arrays.stream(columns.retentions).anyMatch(Objects::nonNull);
  }

  public String name() {
    return name;
  }

  /** Returns how many requests it holds. */
  public int requests() {
    return columns.requests();
  }

  /** Returns how many block references its requests make together. */
  public int references() {
    return columns.starts[requests()];
  }

  /** Returns how many different blocks it refers to. Counted at the first call. */
  public synchronized long distinctBlocks() {
    if (distinctBlocks < 0) {
      distinctBlocks = new LongOpenHashSet(columns.ids).size();
    }
    return distinctBlocks;
  }

  /**
   * Returns the object groups of hybrid models that its requests name, with the sizes of their
   * objects.
   */
  public List<String> groups() {
    return columns.groups();
  }

  /**
   * Returns the block ids of all requests, one after the other. Shared: read only.
   *
   * @return {@link #references()} ids
   */
  public long[] ids() {
    return columns.ids;
  }

  /**
   * Returns the index in {@link #ids()} of a request's first block; the blocks end where those of
   * the next one begin.
   *
   * @param request 0 to {@link #requests()}, inclusive
   */
  public int start(int request) {
    return columns.starts[request];
  }

  /**
   * Returns the length of one prompt.
   *
   * @param request 0 to {@link #requests()}, exclusive
   */
  public long inputTokens(int request) {
    return columns.inputTokens[request];
  }

  /**
   * Returns the bytes of text that were decoded, after decompression; 0 if it was not read from
   * text.
   */
  public long decodedBytes() {
    return decodedBytes;
  }

  /** Returns how long decoding took, in nanoseconds. */
  public long decodeNanos() {
    return decodeNanos;
  }

  public long skippedLines() {
    return skippedLines;
  }

  /** Returns the problems of the first few lines that were left out, in the order of the lines. */
  public List<String> skippedReasons() {
    return skippedReasons;
  }

  /** Returns an own cursor at the trace's start. It reads memory and need not be closed. */
  public TraceCursor cursor() {
    return new ColumnsCursor(columns, retentions);
  }
}
