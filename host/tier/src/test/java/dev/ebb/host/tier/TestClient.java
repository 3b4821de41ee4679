package dev.ebb.host.tier;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A RESP client. Replies are bytes, numbers as strings, lists, or null. */
final class TestClient implements AutoCloseable {

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;

  TestClient(int port) {
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(60_000);
      socket.setTcpNoDelay(true);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
      out = socket.getOutputStream();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Sends a command of strings and byte arrays, and returns the reply. */
  @Nullable Object call(Object... words) {
    try {
      ByteArrayOutputStream command = new ByteArrayOutputStream();
      command.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      for (Object word : words) {
        byte[] bytes =
            word instanceof byte[] raw ? raw : word.toString().getBytes(StandardCharsets.UTF_8);
        command.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        command.writeBytes(bytes);
        command.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
      }
      out.write(command.toByteArray());
      return reply();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** Returns a value; null if there is none. */
  byte @Nullable [] get(String key) {
    return (byte[]) call("GET", key);
  }

  private @Nullable Object reply() throws IOException {
    int type = in.read();
    if (type < 0) {
      throw new EOFException();
    }
    String line = line();
    return switch (type) {
      case '$' -> line.equals("-1") ? null : bytes(Integer.parseInt(line));
      case '*' -> {
        List<@Nullable Object> all = new ArrayList<>();
        for (int i = Integer.parseInt(line); i > 0; i--) {
          all.add(reply());
        }
        yield all;
      }
      case '_' -> null;
      default -> line;
    };
  }

  private byte[] bytes(int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    line();
    return bytes;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    int next;
    while ((next = in.read()) != '\r') {
      if (next < 0) {
        throw new EOFException();
      }
      line.append((char) next);
    }
    in.read();
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
