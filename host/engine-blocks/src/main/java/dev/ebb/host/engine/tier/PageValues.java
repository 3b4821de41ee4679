package dev.ebb.host.engine.tier;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Pages in the values of a server: each has the bytes of a page, and their checksum. Reads pages
 * one after the other, until one is missing.
 */
public final class PageValues {

  /** How many pages are requested at a time at most: those behind a missing one are of no use. */
  private static final int MOST_AT_ONCE = 16;

  private static final int CHECKSUM_BYTES = Integer.BYTES;

  private final PageBytes bytes;
  private final IntFunction<byte[]> keys;
  private final int to;
  private final IntFunction<int[]> blocks;
  private final ByteBuffer value;
  private int next;

  /**
   * Creates a reader of some pages.
   *
   * @param keys returns the key of a page
   * @param to behind the last page
   * @param blocks returns the blocks of a page, which no one else uses
   */
  public PageValues(
      PageBytes bytes, IntFunction<byte[]> keys, int from, int to, IntFunction<int[]> blocks) {
    this.bytes = bytes;
    this.keys = keys;
    this.to = to;
    this.blocks = blocks;
    value = ByteBuffer.allocateDirect(bytes.size() + CHECKSUM_BYTES);
    next = from;
  }

  /**
   * Sends the command that stores a page.
   *
   * @param seconds after them, the server removes the value; null for never
   * @return the size of the value
   */
  public static int send(
      RemoteConnection connection, byte[] key, ByteBuffer page, @Nullable Integer seconds)
      throws IOException {
    int size = page.remaining() + CHECKSUM_BYTES;
    ByteBuffer checksum = ByteBuffer.allocate(CHECKSUM_BYTES).putInt(checksum(page)).flip();
    String expiry =
        seconds == null
            ? ""
            : "$2\r\nEX\r\n$%d\r\n%d\r\n".formatted(String.valueOf(seconds).length(), seconds);
    connection.write(
        RemoteConnection.command(seconds == null ? 3 : 5, "SET", key),
        ByteBuffer.wrap(RemoteConnection.ascii("$%d\r\n".formatted(size))),
        page,
        checksum,
        ByteBuffer.wrap(RemoteConnection.ascii("\r\n" + expiry)));
    return size;
  }

  /** Reads the reply to {@link #send}. */
  public static void requireStored(RemoteConnection connection) throws IOException {
    String reply = connection.line();
    if (!reply.equals("+OK")) {
      throw RemoteConnection.unexpected(reply);
    }
  }

  private static int checksum(ByteBuffer page) {
    CRC32C crc = new CRC32C();
    crc.update(page.duplicate());
    return (int) crc.getValue();
  }

  /** Returns the page behind those that were read. */
  public int next() {
    return next;
  }

  /** Reads the pages, or the first of them. */
  public void read(RemoteConnection connection) throws IOException {
    boolean complete = true;
    for (int window = 1; complete && next < to; window = Math.min(MOST_AT_ONCE, 2 * window)) {
      complete = read(connection, Math.min(window, to - next));
    }
  }

  /** Reads some pages; returns whether all were there. */
  private boolean read(RemoteConnection connection, int count) throws IOException {
    int first = next;
    connection.write(
        RemoteConnection.command(
            1 + count,
            "MGET",
            IntStream.range(first, first + count).mapToObj(keys).toArray(byte[][]::new)));
    String reply = connection.line();
    if (!reply.equals("*" + count)) {
      throw RemoteConnection.unexpected(reply);
    }
    for (int page = first; page < first + count; page++) {
      // All replies are read, so that the connection can be used again.
      if (received(connection) && next == page && bytes.write(page, blocks.apply(page), page())) {
        next++;
      }
    }
    return next == first + count;
  }

  /** Receives a value; returns whether it is a page. */
  private boolean received(RemoteConnection connection) throws IOException {
    long size = connection.number();
    if (size >= 0 && size != value.capacity()) {
      throw new IOException("a page has '%d' bytes".formatted(size));
    }
    if (size < 0) {
      return false;
    }
    connection.read(value.clear());
    connection.line();
    if (checksum(value.slice(0, bytes.size())) != value.getInt(bytes.size())) {
      throw new IOException("a page is damaged");
    }
    return true;
  }

  private MemorySegment page() {
    return MemorySegment.ofBuffer(value.slice(0, bytes.size()));
  }
}
