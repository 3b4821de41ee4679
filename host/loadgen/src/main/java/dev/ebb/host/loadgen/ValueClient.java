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
 * A connection that reads and stores values of any size, piece by piece. Blocks until the server
 * replies.
 */
public final class ValueClient implements AutoCloseable {

  private static final int BUFFER = 256 << 10;
  private static final int LONGEST_LINE = 1024;

  private final BenchTarget target;
  private final ByteChannel socket;
  private final ByteBuffer received = ByteBuffer.allocateDirect(BUFFER).flip();

  /**
   * Connects to a server.
   *
   * @throws UserError if there is no such server, or it refuses the connection
   */
  public ValueClient(BenchTarget target) {
    this.target = target;
    socket = Greeting.openBlocking(target);
  }

  /**
   * Asks for a value. {@link #next} returns its bytes.
   *
   * @return its size; -1 if the key does not exist
   * @throws IOException if the connection ends
   * @throws UserError if the server refuses
   */
  public long get(byte[] key) throws IOException {
    send("*2\r\n$3\r\nGET\r\n", key, "\r\n");
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
    send("*3\r\n$3\r\nSET\r\n", key, "\r\n$%d\r\n".formatted(bytes));
  }

  /**
   * Sends the next bytes of a value.
   *
   * @param piece its remaining bytes
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
   * @param key its key
   * @param bytes its size
   * @return false if the server has no room for it
   * @throws IOException if the connection ends
   * @throws UserError if the server refuses
   */
  public boolean stored(byte[] key, long bytes) throws IOException {
    write(ascii("\r\n"));
    accepted(line());
    send("*2\r\n$6\r\nSTRLEN\r\n", key, "\r\n");
    return number(':') == bytes;
  }

  /**
   * Sends a command whose reply is short.
   *
   * @param words its name and its arguments
   * @return the strings and numbers of the reply, those of arrays in their order
   * @throws IOException if the connection ends
   * @throws UserError if the server refuses
   */
  public List<String> call(List<byte[]> words) throws IOException {
    ByteArrayOutputStream command = new ByteArrayOutputStream();
    command.writeBytes("*%d\r\n".formatted(words.size()).getBytes(StandardCharsets.US_ASCII));
    for (byte[] word : words) {
      command.writeBytes("$%d\r\n".formatted(word.length).getBytes(StandardCharsets.US_ASCII));
      command.writeBytes(word);
      command.write('\r');
      command.write('\n');
    }
    write(ByteBuffer.wrap(command.toByteArray()));
    List<String> found = new ArrayList<>();
    reply(found);
    return found;
  }

  private void reply(List<String> into) throws IOException {
    String line = accepted(line());
    char kind = line.isEmpty() ? ' ' : line.charAt(0);
    switch (kind) {
      case '+', ':' -> into.add(line.substring(1));
      case '*' -> {
        for (long rest = size(line); rest > 0; rest--) {
          reply(into);
        }
      }
      case '$' -> text(size(line), into);
      default -> throw new IOException("it answers '%s'".formatted(line));
    }
  }

  private void text(long bytes, List<String> into) throws IOException {
    if (bytes < 0) {
      return;
    }
    byte[] text = new byte[Math.toIntExact(bytes)];
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

  private static long size(String line) throws IOException {
    if (!line.matches(".-?\\d{1,9}")) {
      throw new IOException("it answers '%s'".formatted(line));
    }
    return Long.parseLong(line, 1, line.length(), 10);
  }

  @Override
  public void close() {
    Greeting.closeQuietly(socket);
  }

  private void send(String before, byte[] key, String behind) throws IOException {
    write(ascii(before + "$" + key.length + "\r\n"));
    write(ByteBuffer.wrap(key));
    write(ascii(behind));
  }

  private long number(char kind) throws IOException {
    String line = accepted(line());
    if (!line.matches("\\Q" + kind + "\\E-?\\d{1,18}")) {
      throw new IOException("it answers '%s'".formatted(line));
    }
    return Long.parseLong(line, 1, line.length(), 10);
  }

  private String accepted(String line) {
    if (line.startsWith("-")) {
      throw new UserError("'%s' refuses: %s".formatted(target, line.substring(1)));
    }
    return line;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (line.isEmpty() || line.charAt(line.length() - 1) != '\n') {
      receive();
      if (line.length() == LONGEST_LINE) {
        throw new IOException("a line of its reply does not end");
      }
      line.append((char) (received.get() & 0xFF));
    }
    return line.toString().strip();
  }

  private void receive() throws IOException {
    if (!received.hasRemaining()) {
      received.clear();
      int read = socket.read(received);
      received.flip();
      if (read < 0) {
        throw new EOFException("it closed the connection");
      }
    }
  }

  private static ByteBuffer ascii(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }
}
