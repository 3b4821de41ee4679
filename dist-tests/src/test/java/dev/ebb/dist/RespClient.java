package dev.ebb.dist;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection to one node. After an {@link IOException} it cannot be used. */
final class RespClient implements AutoCloseable {

  private static final int CONNECT_MILLIS = 2_000;

  private final Socket socket = new Socket();
  private final InputStream in;
  private long longestNanos;
  private String longestCommand = "";

  RespClient(InetSocketAddress address, String password, int timeoutMillis) throws IOException {
    try {
      socket.setTcpNoDelay(true);
      socket.connect(address, CONNECT_MILLIS);
      socket.setSoTimeout(timeoutMillis);
      in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      if (!password.isEmpty()) {
        call("AUTH", password);
      }
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** An error that the server answered. */
  static final class ServerError extends RuntimeException {

    private static final long serialVersionUID = 1;

    ServerError(String message) {
      super(message);
    }
  }

  /**
   * Sends a command and returns the answer: a text, a number, bytes, a list of these, or null.
   *
   * @throws ServerError if the server answers with an error
   */
  @Nullable Object call(Object... words) throws IOException {
    long start = System.nanoTime();
    send(words);
    Object answer = answer();
    long nanos = System.nanoTime() - start;
    if (nanos > longestNanos) {
      longestNanos = nanos;
      longestCommand = String.valueOf(words[0]);
    }
    return answer;
  }

  /** Returns the name of the command that took the longest time. */
  String longestCommand() {
    return longestCommand;
  }

  /** Returns the longest time that a command took since the last call. */
  long takeLongestNanos() {
    long nanos = longestNanos;
    longestNanos = 0;
    return nanos;
  }

  private void send(Object... words) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(ascii("*" + words.length + "\r\n"));
    for (Object each : words) {
      byte[] word = each instanceof byte[] bytes ? bytes : ascii(String.valueOf(each));
      out.writeBytes(ascii("$" + word.length + "\r\n"));
      out.writeBytes(word);
      out.writeBytes(ascii("\r\n"));
    }
    out.writeTo(socket.getOutputStream());
  }

  byte @Nullable [] bytes(Object... words) throws IOException {
    return (byte[]) call(words);
  }

  long number(Object... words) throws IOException {
    return call(words) instanceof Long number ? number : -1;
  }

  private @Nullable Object answer() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> throw new ServerError(rest);
      case ':' -> Long.parseLong(rest);
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> list(Integer.parseInt(rest));
      default -> throw new AssertionError("no answer starts with '%s'".formatted(line));
    };
  }

  private byte @Nullable [] bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || !line().isEmpty()) {
      throw new EOFException();
    }
    return bytes;
  }

  private List<@Nullable Object> list(int length) throws IOException {
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      list.add(answer());
    }
    return list;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next != '\r') {
      if (next < 0) {
        throw new EOFException();
      }
      line.append((char) next);
      next = in.read();
    }
    in.read();
    return line.toString();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
