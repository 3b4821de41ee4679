package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A connection to a RESP server, which blocks until the server replies. Values may have any size:
 * they are read and stored piece by piece.
 */
public final class RespClient implements AutoCloseable {

  private static final int BUFFER = 256 << 10;
  private static final int LONGEST_LINE = 1024;

  private final BenchTarget target;
  private final ByteChannel socket;
  private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER).flip();
  private volatile long repliedNanos = System.nanoTime();

  /**
   * Connects to a server.
   *
   * @throws UserError if there is no such server, or it refuses the connection
   */
  public RespClient(BenchTarget target) {
    this.target = target;
    socket = Greeting.openBlocking(target);
  }

  /** Returns a command as it is sent. */
  static ByteBuffer command(List<byte[]> words) {
    ByteArrayOutputStream command = new ByteArrayOutputStream();
    command.writeBytes(ascii("*%d\r\n".formatted(words.size())));
    for (byte[] word : words) {
      command.writeBytes(ascii("$%d\r\n".formatted(word.length)));
      command.writeBytes(word);
      command.writeBytes(ascii("\r\n"));
    }
    return ByteBuffer.wrap(command.toByteArray());
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Sends a command whose reply is short.
   *
   * @return the strings and numbers of the reply, those of arrays in their order
   * @throws IOException if the connection ends
   * @throws UserError if the server refuses
   */
  public List<String> call(List<byte[]> words) throws IOException {
    write(command(words));
    List<String> found = new ArrayList<>();
    reply(found);
    return found;
  }

  /**
   * Asks for a value. {@link #next} returns its bytes.
   *
   * @return its size; -1 if the key does not exist
   * @throws IOException if the connection ends
   * @throws UserError if the server refuses
   */
  public long get(byte[] key) throws IOException {
    write(command(List.of(ascii("GET"), key)));
    return number('$');
  }

  /**
   * Returns the next bytes of a value.
   *
   * @param most at least 1, and not more than are missing
   * @return at least one byte, valid until the next call
   * @throws IOException if the connection ends
   */
  public ByteBuffer next(long most) throws IOException {
    receive();
    ByteBuffer piece =
        received.slice(received.position(), (int) Math.min(most, received.remaining()));
    received.position(received.position() + piece.remaining());
    return piece;
  }

  /**
   * Begins to store a value. {@link #write} sends its bytes, and {@link #stored} ends it. It is not
   * stored if the connection is closed before.
   *
   * @throws IOException if the connection ends
   */
  public void set(byte[] key, long bytes) throws IOException {
    write(ByteBuffer.wrap(ascii("*3\r\n$3\r\nSET\r\n$%d\r\n".formatted(key.length))));
    write(ByteBuffer.wrap(key));
    write(ByteBuffer.wrap(ascii("\r\n$%d\r\n".formatted(bytes))));
  }

  /**
   * Sends the remaining bytes of a buffer.
   *
   * @throws IOException if the connection ends
   */
  public void write(ByteBuffer piece) throws IOException {
    while (piece.hasRemaining()) {
      socket.write(piece);
    }
  }

  /**
   * Completes a value and returns whether it is stored.
   *
   * @return false if the server has no room for it
   * @throws IOException if the connection ends
   * @throws UserError if the server refuses
   */
  public boolean stored(byte[] key, long bytes) throws IOException {
    write(ByteBuffer.wrap(ascii("\r\n")));
    accepted();
    write(command(List.of(ascii("STRLEN"), key)));
    return number(':') == bytes;
  }

  /** Reads a reply whose value is compared, not kept. */
  RequestOutcome reply(ReplyReader reader, long id) throws IOException {
    RequestOutcome outcome = null;
    while (outcome == null) {
      receive();
      outcome = reader.read(received, id);
    }
    return outcome;
  }

  /** Returns when the server sent something last. */
  long repliedNanos() {
    return repliedNanos;
  }

  private void reply(List<String> into) throws IOException {
    String line = accepted();
    switch (line.isEmpty() ? ' ' : line.charAt(0)) {
      case '+', ':' -> into.add(line.substring(1));
      case '*' -> {
        for (long rest = number(line, '*'); rest > 0; rest--) {
          reply(into);
        }
      }
      case '$' -> text(number(line, '$'), into);
      default -> throw new IOException("it answers '%s'".formatted(line));
    }
  }

  private void text(long bytes, List<String> into) throws IOException {
    if (bytes < 0) {
      return;
    }
    if (bytes > ValueSizes.LARGEST) {
      throw new IOException("a string of its reply has %d bytes".formatted(bytes));
    }
    byte[] text = new byte[(int) bytes];
    for (int place = 0; place < text.length; ) {
      ByteBuffer piece = next(text.length - place);
      int length = piece.remaining();
      piece.get(text, place, length);
      place += length;
    }
    next(1);
    next(1);
    into.add(new String(text, StandardCharsets.UTF_8));
  }

  private long number(char kind) throws IOException {
    return number(accepted(), kind);
  }

  private static long number(String line, char kind) throws IOException {
    if (!line.matches("\\Q" + kind + "\\E-?\\d{1,18}")) {
      throw new IOException("it answers '%s'".formatted(line));
    }
    return Long.parseLong(line, 1, line.length(), 10);
  }

  /** Returns the next line, which must not be an error. */
  private String accepted() throws IOException {
    StringBuilder line = new StringBuilder();
    while (line.isEmpty() || line.charAt(line.length() - 1) != '\n') {
      receive();
      if (line.length() == LONGEST_LINE) {
        throw new IOException("a line of its reply does not end");
      }
      line.append((char) (received.get() & 0xFF));
    }
    String text = line.toString().strip();
    if (text.startsWith("-")) {
      throw new UserError("'%s' refuses: %s".formatted(target, text.substring(1)));
    }
    return text;
  }

  private void receive() throws IOException {
    if (!received.hasRemaining()) {
      received.clear();
      int read = socket.read(received);
      received.flip();
      if (read < 0) {
        throw new EOFException("the server closed the connection");
      }
      repliedNanos = System.nanoTime();
    }
  }

  @Override
  public void close() {
    Greeting.closeQuietly(socket);
  }
}
