package dev.ebb.host.trace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a recorded trace, one JSON object a line, in flat memory. It detects two formats by their
 * fields:
 *
 * <ul>
 *   <li>Mooncake: {@code timestamp} in milliseconds, {@code input_length}, {@code output_length},
 *       {@code hash_ids};
 *   <li>Qwen-Bailian: the same with {@code timestamp} in seconds, and {@code chat_id}, {@code
 *       parent_chat_id} (-1: none), {@code turn}, {@code type}. The sequence id is the chat that
 *       the chain began with, found among the last million chats.
 * </ul>
 *
 * <p>Either may have {@code tenant}, {@code workload}, {@code priority}, {@code hint}, {@code
 * lifetime}, {@code recompute_cost}, {@code session_id} and {@code turn}; other fields are ignored.
 * Ids are whole numbers of 64 bits or strings, which are hashed. A request without block ids counts
 * with its tokens only. Time counts from the first request and never goes back.
 *
 * <p>Gzip, xz and zstd are detected by their first bytes.
 */
public final class TraceReader implements TraceCursor {

  /** The file name of standard input. */
  public static final String STANDARD_INPUT = "-";

  private static final int REASONS = 5;

  private final String name;
  private final OnError onError;
  private final long size;
  private final CountingInputStream stored;
  private final LineSource lines;
  private final TraceRequestParser parser = new TraceRequestParser();
  private final ChatRoots roots = new ChatRoots(ChatRoots.GENERATION);
  private final RequestBuffer request = new RequestBuffer();
  private final List<String> skippedReasons = new ArrayList<>();
  private long skippedLines;
  private long requestsRead;
  private long firstNanos;
  private long lastNanos;
  private boolean ended;

  private TraceReader(
      String name, OnError onError, long size, CountingInputStream stored, InputStream text) {
    this.name = name;
    this.onError = onError;
    this.size = size;
    this.stored = stored;
    this.lines = new LineSource(text);
  }

  /**
   * Opens a trace.
   *
   * @param file a path, or {@link #STANDARD_INPUT}
   * @param onError the action on malformed lines
   * @return a cursor before the first request
   * @throws TraceException if it cannot be opened
   */
  public static TraceReader open(String file, OnError onError) {
    if (file.equals(STANDARD_INPUT)) {
      return of("standard input", System.in, onError);
    }
    return open(path(file), onError);
  }

  /**
   * Returns the path of a trace file.
   *
   * @param file as the user named it
   * @throws TraceException if it is not a path
   */
  public static Path path(String file) {
    try {
      return Path.of(file);
    } catch (InvalidPathException e) {
      throw new TraceException("trace '%s' is not a path".formatted(file));
    }
  }

  /**
   * Opens a trace file.
   *
   * @param onError the action on malformed lines
   * @return a cursor before the first request
   * @throws TraceException if it cannot be opened
   */
  public static TraceReader open(Path file, OnError onError) {
    if (Files.isDirectory(file)) {
      throw new TraceException("trace '%s' is a directory; name one file in it".formatted(file));
    }
    try {
      long size = Files.isRegularFile(file) ? Files.size(file) : -1;
      return open(file.toString(), Files.newInputStream(file), size, onError);
    } catch (IOException e) {
      throw new TraceException(
          "trace '%s' cannot be opened: %s; check the path".formatted(file, Reasons.of(e)));
    }
  }

  /**
   * Reads a trace from a stream of unknown length.
   *
   * @param name its name in messages
   * @param in the bytes, packed or not; closed with the cursor
   * @param onError the action on malformed lines
   * @return a cursor before the first request
   * @throws TraceException if the stream's head cannot be read
   */
  public static TraceReader of(String name, InputStream in, OnError onError) {
    return open(name, in, -1, onError);
  }

  private static TraceReader open(String name, InputStream in, long size, OnError onError) {
    CountingInputStream stored = new CountingInputStream(in);
    InputStream text = null;
    try {
      text = Decompression.of(name, stored);
      return new TraceReader(name, onError, size, stored, text);
    } catch (IOException e) {
      throw unreadable(name, 0, stored.count(), e);
    } finally {
      if (text == null) {
        closeQuietly(stored);
      }
    }
  }

  @Override
  public boolean next() {
    while (nextLine()) {
      try {
        if (lines.tooLong()) {
          throw new MalformedLineException(
              "longer than %d MiB; a request is one {...} in one line"
                  .formatted(LineSource.LONGEST >> 20));
        }
        parser.parse(lines.buffer(), lines.from(), lines.to(), request);
        complete();
        return true;
      } catch (MalformedLineException e) {
        malformed(e.reason());
      }
    }
    if (requestsRead == 0) {
      throw new TraceException(
          skippedLines == 0
              ? "%s: holds no requests; is it the right file?".formatted(name)
              : "%s: holds no requests, only malformed lines; the first: %s"
                  .formatted(name, skippedReasons.getFirst()));
    }
    return false;
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
  public long bytesRead() {
    return lines.bytes();
  }

  @Override
  public double fraction() {
    if (ended) {
      return 1;
    }
    return size <= 0 ? Double.NaN : Math.min(1.0, (double) stored.count() / size);
  }

  @Override
  public long skippedLines() {
    return skippedLines;
  }

  @Override
  public List<String> skippedReasons() {
    return List.copyOf(skippedReasons);
  }

  @Override
  public void close() {
    try {
      lines.close();
    } catch (IOException e) {
      throw unreadable(name, lines.line(), stored.count(), e);
    }
  }

  /** Advances to the next line that is not blank. */
  private boolean nextLine() {
    try {
      while (lines.next()) {
        if (lines.tooLong() || !isBlank()) {
          return true;
        }
      }
      ended = true;
      return false;
    } catch (IOException e) {
      throw unreadable(name, lines.line(), stored.count(), e);
    }
  }

  private boolean isBlank() {
    byte[] bytes = lines.buffer();
    for (int i = lines.from(); i < lines.to(); i++) {
      if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  private void complete() {
    if (parser.hasChat() && !parser.hasSession()) {
      request.sequenceId =
          parser.hasParent()
              ? roots.follow(parser.chat(), parser.parent())
              : roots.begin(parser.chat());
    }
    if (requestsRead == 0) {
      firstNanos = request.timestampNanos;
    }
    lastNanos = Math.max(lastNanos, request.timestampNanos - firstNanos);
    request.timestampNanos = lastNanos;
    requestsRead++;
  }

  private void malformed(String reason) {
    if (onError == OnError.STOP) {
      throw new TraceException(
          "%s:%d: %s; fix the line, or leave such lines out with --on-error skip"
              .formatted(name, lines.line(), reason));
    }
    skippedLines++;
    if (skippedReasons.size() < REASONS) {
      skippedReasons.add("%s:%d: %s".formatted(name, lines.line(), reason));
    }
  }

  private static TraceException unreadable(String name, long line, long offset, IOException e) {
    return new TraceException(
        "%s: cannot be read behind line %d, near byte %d of the file: %s; is it complete?"
            .formatted(name, line, offset, Reasons.of(e)));
  }

  private static void closeQuietly(InputStream in) {
    try {
      in.close();
    } catch (IOException e) {
      // The exception being thrown has the better reason.
    }
  }
}
