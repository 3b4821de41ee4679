package dev.ebb.host.trace;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Splits a byte stream into lines inside one reused buffer. The buffer grows to the longest line,
 * up to {@link #LONGEST}; a longer line is skipped.
 */
final class LineSource implements Closeable {

  /** The longest line that is kept, in bytes. */
  static final int LONGEST = 64 << 20;

  private final InputStream in;
  private byte[] buffer = new byte[1 << 20];

  private int from;

  private int to;
  private int nextFrom;
  private int end;
  private boolean ended;
  private boolean tooLong;
  private long line;
  private long bytes;

  LineSource(InputStream in) {
    this.in = in;
  }

  /** Advances to the next line; false at the end. A last line needs no line feed. */
  boolean next() throws IOException {
    from = nextFrom;
    tooLong = false;
    int scanned = 0;
    while (true) {
      int feed = lineFeed(from + scanned);
      if (feed >= 0) {
        endLine(feed, feed + 1);
        return true;
      }
      scanned = end - from;
      if (scanned > LONGEST) {
        tooLong = true;
        bytes += scanned;
        from = 0;
        end = 0;
        scanned = 0;
      }
      if (!fill()) {
        if (scanned == 0 && !tooLong) {
          return false;
        }
        endLine(end, end);
        return true;
      }
    }
  }

  /** Returns whether the current line has nothing but white space. */
  boolean blank() {
    for (int i = from; i < to; i++) {
      if (buffer[i] != ' ' && buffer[i] != '\t' && buffer[i] != '\r') {
        return false;
      }
    }
    return true;
  }

  byte[] buffer() {
    return buffer;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  /** Returns whether the current line was longer than {@link #LONGEST} and is not in the buffer. */
  boolean tooLong() {
    return tooLong;
  }

  /** Returns the number of the current line, from 1. */
  long line() {
    return line;
  }

  /** Returns the bytes of the lines up to and with the current one. */
  long bytes() {
    return bytes;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private int lineFeed(int start) {
    for (int i = start; i < end; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private void endLine(int lineEnd, int next) {
    to = lineEnd;
    nextFrom = next;
    bytes += next - from;
    line++;
    if (line == 1 && startsWithByteOrderMark()) {
      from += 3;
    }
  }

  private boolean startsWithByteOrderMark() {
    return to - from >= 3
        && buffer[from] == (byte) 0xEF
        && buffer[from + 1] == (byte) 0xBB
        && buffer[from + 2] == (byte) 0xBF;
  }

  private boolean fill() throws IOException {
    if (ended) {
      return false;
    }
    if (from > 0) {
      System.arraycopy(buffer, from, buffer, 0, end - from);
      end -= from;
      from = 0;
      nextFrom = 0;
    }
    if (end == buffer.length) {
      buffer = Arrays.copyOf(buffer, 2 * end);
    }
    int read = in.read(buffer, end, buffer.length - end);
    if (read < 0) {
      ended = true;
      return false;
    }
    end += read;
    return true;
  }
}
