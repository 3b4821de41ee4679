package dev.ebb.host.trace;

import dev.ebb.host.errors.Reasons;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a recorded trace, one request a line, in flat memory. It detects the format of each line:
 * JSON as {@link TraceRequestParser} reads it, or the text log of an engine, see {@link EngineLog}.
 *
 * <p>Ids are whole numbers of 64 bits or strings, which are hashed. A request without block ids
 * counts with its tokens only. Time counts from the first request and never goes back. From the
 * first request that only states a delay after another, or the first line with a whole session, the
 * trace is held in memory and sorted.
 *
 * <p>Gzip, xz and zstd are detected by their first bytes.
 */
public final class TraceReader implements TraceCursor {

  /** The file name of standard input. */
  public static final String STANDARD_INPUT = "-";

  private static final int REASONS = 5;

  /** The default block size of vLLM. */
  private static final int BLOCK_TOKENS = 16;

  /** The default chunk size of LMCache. */
  private static final int CHUNK_TOKENS = 256;

  private final String name;
  private final OnError onError;
  private final long size;
  private final CountingInputStream stored;
  private final LineSource lines;
  private final TraceRequestParser parser;
  private final EngineLog log;
  private final SessionClock sessions = new SessionClock();
  private final ChatRoots roots = new ChatRoots();
  private final TraceRequest parsed = new TraceRequest();
  private TraceRequest request = parsed;
  private final List<String> skippedReasons = new ArrayList<>();
  private long skippedLines;
  private long requestsRead;
  private long firstNanos;
  private long lastNanos;
  private boolean ended;
  private boolean isLog;
  private boolean found;
  private @Nullable ColumnsCursor sorted;

  /** The requests of the current line that are left, if it holds a session. */
  private @Nullable ColumnsCursor session;

  private TraceReader(
      String name,
      OnError onError,
      int blockTokens,
      long size,
      CountingInputStream stored,
      InputStream text) {
    this.name = name;
    int block = blockTokens > 0 ? blockTokens : BLOCK_TOKENS;
    this.parser = new TraceRequestParser(block, blockTokens > 0 ? blockTokens : CHUNK_TOKENS);
    this.log = new EngineLog(block);
    this.onError = onError;
    this.size = size;
    this.stored = stored;
    this.lines = new LineSource(text);
  }

  /** Opens a trace with the block size of its engine: {@link #open(String, OnError, int)}. */
  public static TraceReader open(String file, OnError onError) {
    return open(file, onError, 0);
  }

  /**
   * Opens a trace before its first request.
   *
   * @param file a path, or {@link #STANDARD_INPUT}
   * @param blockTokens tokens of a block, for formats with token ids or hashes of chunks; 0 for the
   *     default of the engine
   * @throws TraceException if it cannot be opened
   */
  public static TraceReader open(String file, OnError onError, int blockTokens) {
    return file.equals(STANDARD_INPUT)
        ? open("standard input", System.in, -1, onError, blockTokens)
        : open(path(file), onError, blockTokens);
  }

  /**
   * Returns the path of a trace file.
   *
   * @throws TraceException if it is not a path
   */
  public static Path path(String file) {
    try {
      return Path.of(file);
    } catch (InvalidPathException e) {
      throw new TraceException("trace '%s' is not a path".formatted(file));
    }
  }

  /** Opens a trace file: {@link #open(String, OnError, int)}. */
  public static TraceReader open(Path file, OnError onError) {
    return open(file, onError, 0);
  }

  private static TraceReader open(Path file, OnError onError, int blockTokens) {
    if (Files.isDirectory(file)) {
      throw new TraceException("trace '%s' is a directory; name one file in it".formatted(file));
    }
    try {
      long size = Files.isRegularFile(file) ? Files.size(file) : -1;
      return open(file.toString(), Files.newInputStream(file), size, onError, blockTokens);
    } catch (IOException e) {
      throw new TraceException(
          "trace '%s' cannot be opened: %s; check the path".formatted(file, Reasons.of(e)));
    }
  }

  /**
   * Reads a trace from a stream of unknown length.
   *
   * @param in the bytes, packed or not; closed with the cursor
   * @throws TraceException if the stream's head cannot be read
   */
  public static TraceReader of(String name, InputStream in, OnError onError) {
    return open(name, in, -1, onError, 0);
  }

  private static TraceReader open(
      String name, InputStream in, long size, OnError onError, int blockTokens) {
    CountingInputStream stored = new CountingInputStream(in);
    InputStream text = null;
    try {
      text = Decompression.of(name, stored);
      return new TraceReader(name, onError, blockTokens, size, stored, text);
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
    if (sorted == null) {
      if (!read()) {
        return false;
      }
      if (!parser.hasDelay() && session == null) {
        return arrived();
      }
      sorted = sort();
      request = sorted.request();
    }
    return sorted.next() && arrived();
  }

  /** Reads the next request of the file; false at its end. */
  private boolean read() {
    if (nextOfSession()) {
      return true;
    }
    while (nextLine()) {
      try {
        if (lines.tooLong()) {
          throw new MalformedLineException(
              "longer than %d MiB; a request is one {...} in one line"
                  .formatted(LineSource.LONGEST >> 20));
        }
        if (parse()) {
          found = true;
          return true;
        }
      } catch (MalformedLineException e) {
        malformed(e.reason());
      }
    }
    if (!found) {
      throw empty();
    }
    return false;
  }

  private boolean nextOfSession() {
    if (session == null) {
      return false;
    }
    request = session.request();
    return session.next();
  }

  private TraceException empty() {
    if (skippedLines > 0) {
      return new TraceException(
          "%s: holds no requests, only malformed lines; the first: %s"
              .formatted(name, skippedReasons.getFirst()));
    }
    return new TraceException(
        isLog
            ? "%s: %s".formatted(name, log.whyEmpty())
            : "%s: holds no requests; is it the right file?".formatted(name));
  }

  /** Parses the current line; false if it is a line of a log without a request. */
  private boolean parse() throws MalformedLineException {
    byte[] bytes = lines.buffer();
    int from = lines.from();
    request = parsed;
    session = null;
    if (bytes[from] != '{' && isLog(bytes, from)) {
      isLog = true;
      return log.parse(bytes, from, lines.to(), request);
    }
    if (!parser.parse(bytes, from, lines.to(), request)) {
      isLog = true;
      return false;
    }
    session = parser.session();
    if (session != null) {
      return nextOfSession();
    }
    if (parser.hasChat() && !parser.hasSession()) {
      request.sequenceId =
          parser.hasParent()
              ? roots.follow(parser.chat(), parser.parent())
              : roots.begin(parser.chat());
    }
    if (parser.hasSession()) {
      sessions.time(request, parser.hasDelay(), parser.delayNanos());
    }
    return true;
  }

  private boolean isLog(byte[] bytes, int from) {
    return isLog
        || ((requestsRead == 0 || parser.isLog()) && EngineLog.looksLike(bytes, from, lines.to()));
  }

  /** Reads the rest of the trace: sessions may follow one after the other, not interleaved. */
  private ColumnsCursor sort() {
    RequestColumns columns = new RequestColumns();
    do {
      columns.add(name, request);
    } while (read());
    columns.trim();
    return ColumnsCursor.byTime(columns);
  }

  /** Counts the current request, and makes its time relative to the first. */
  private boolean arrived() {
    if (requestsRead == 0) {
      firstNanos = request.timestampNanos;
    }
    lastNanos = Math.max(lastNanos, request.timestampNanos - firstNanos);
    request.timestampNanos = lastNanos;
    requestsRead++;
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
        if (lines.tooLong() || !lines.blank()) {
          return true;
        }
      }
      ended = true;
      return false;
    } catch (IOException e) {
      throw unreadable(name, lines.line(), stored.count(), e);
    }
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

  /**
   * Finds the first chat of a chain of chats, where each knows only its parent.
   *
   * <p>Memory is bounded: two generations of chats. The older is dropped when the younger is full;
   * a chat that is looked up moves to the younger. If a parent is unknown, it counts as the root,
   * so its children still share one.
   */
  private static final class ChatRoots {

    private static final int GENERATION = 1 << 19;

    private Long2LongOpenHashMap young = new Long2LongOpenHashMap();
    private Long2LongOpenHashMap old = new Long2LongOpenHashMap();

    /** Returns the root of a chat that begins a chain: itself. */
    long begin(long chat) {
      put(chat, chat);
      return chat;
    }

    /** Returns the root of a chat that continues another. */
    long follow(long chat, long parent) {
      long root = young.getOrDefault(parent, old.getOrDefault(parent, parent));
      put(parent, root);
      put(chat, root);
      return root;
    }

    private void put(long chat, long root) {
      if (young.size() >= GENERATION && !young.containsKey(chat)) {
        old = young;
        young = new Long2LongOpenHashMap();
      }
      young.put(chat, root);
    }
  }

  /**
   * The times of requests that only state a delay after the previous request of their session. The
   * time that the answer took is not known, so it does not count.
   */
  private static final class SessionClock {

    private final Long2LongOpenHashMap last = new Long2LongOpenHashMap();

    /** Sets the time of a request, if it states only a delay, and remembers it for its session. */
    void time(TraceRequest request, boolean delayed, long delayNanos) {
      if (request.sequenceId == TraceRequest.UNKNOWN) {
        return;
      }
      if (delayed) {
        request.timestampNanos = last.get(request.sequenceId) + delayNanos;
      }
      last.put(request.sequenceId, request.timestampNanos);
    }
  }

  /** Counts the bytes that a buffer takes from a stream. */
  private static final class CountingInputStream extends FilterInputStream {

    private long count;

    CountingInputStream(InputStream in) {
      super(in);
    }

    long count() {
      return count;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = super.read(target, offset, length);
      if (read > 0) {
        count += read;
      }
      return read;
    }
  }
}
