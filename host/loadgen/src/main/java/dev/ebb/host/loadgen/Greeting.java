package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;

/** Opens connections and checks that the server accepts them. */
final class Greeting {

  private static final int LONGEST = 1024;

  private Greeting() {}

  /**
   * Returns an authenticated connection.
   *
   * @throws UserError if there is no such server, or it refuses the connection
   */
  static SocketChannel open(BenchTarget target) {
    SocketChannel socket = connect(target);
    boolean welcome = false;
    try {
      String reply = ask(socket, target);
      if (!reply.startsWith("+")) {
        throw new UserError(
            "'%s' answers '%s'; %s"
                .formatted(
                    target,
                    reply,
                    target.password() == null
                        ? "does it ask for --password?"
                        : "is the --password right?"));
      }
      socket.configureBlocking(false);
      welcome = true;
      return socket;
    } catch (IOException failed) {
      throw new UserError(
          "'%s' does not answer as a RESP server does: %s".formatted(target, failed.getMessage()));
    } finally {
      if (!welcome) {
        closeQuietly(socket);
      }
    }
  }

  static void closeQuietly(SocketChannel socket) {
    try {
      socket.close();
    } catch (IOException late) {
      // The connection is not needed any more.
    }
  }

  private static SocketChannel connect(BenchTarget target) {
    try {
      SocketChannel socket =
          SocketChannel.open(new InetSocketAddress(target.host(), target.port()));
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return socket;
    } catch (IOException | UnresolvedAddressException failed) {
      String reason = failed.getMessage();
      throw new UserError(
          "cannot connect to '%s': %s; check the host and the port, and that the server runs"
              .formatted(target, reason == null ? "unknown host" : reason));
    }
  }

  private static String ask(SocketChannel socket, BenchTarget target) throws IOException {
    byte[] password =
        target.password() == null ? null : target.password().getBytes(StandardCharsets.UTF_8);
    if (password == null) {
      send(socket, "*1\r\n$4\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII));
    } else {
      send(
          socket,
          ("*2\r\n$4\r\nAUTH\r\n$" + password.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      send(socket, password);
      send(socket, "\r\n".getBytes(StandardCharsets.US_ASCII));
    }
    ByteBuffer line = ByteBuffer.allocate(LONGEST);
    while (line.position() == 0 || line.get(line.position() - 1) != '\n') {
      if (!line.hasRemaining()) {
        throw new IOException("its first line does not end");
      }
      if (socket.read(line) < 0) {
        throw new EOFException("it closed the connection");
      }
    }
    return new String(line.array(), 0, line.position(), StandardCharsets.ISO_8859_1).strip();
  }

  private static void send(SocketChannel socket, byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      socket.write(left);
    }
  }
}
