package dev.ebb.host.loadgen;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.units.TimeSpan;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Opens connections and checks that the server accepts them. */
final class Greeting {

  private static final int LONGEST = 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Greeting() {}

  /**
   * Returns an authenticated connection.
   *
   * @throws UserError if there is no such server, or it refuses the connection
   */
  static SocketChannel open(BenchTarget target) {
    return open(target, PATIENCE);
  }

  static SocketChannel open(BenchTarget target, Duration patience) {
    SocketChannel socket = connect(target, (int) patience.toMillis());
    greet(socket, socket.socket(), target, patience);
    try {
      socket.configureBlocking(false);
      return socket;
    } catch (IOException closed) {
      throw new UncheckedIOException(closed);
    }
  }

  /** Returns an authenticated connection whose reads and writes wait; with TLS if wanted. */
  static ByteChannel openBlocking(BenchTarget target) {
    SocketChannel plain = connect(target, (int) PATIENCE.toMillis());
    SSLContext context = target.tls();
    if (context == null) {
      greet(plain, plain.socket(), target, PATIENCE);
      return plain;
    }
    StreamChannel encrypted = encrypted(plain, target, context);
    greet(encrypted, encrypted.socket(), target, PATIENCE);
    return encrypted;
  }

  private static StreamChannel encrypted(
      SocketChannel plain, BenchTarget target, SSLContext context) {
    try {
      SSLSocket socket =
          (SSLSocket)
              context
                  .getSocketFactory()
                  .createSocket(plain.socket(), target.host(), target.port(), true);
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return new StreamChannel(socket);
    } catch (IOException failed) {
      closeQuietly(plain);
      throw new UserError(
          "no TLS connection to '%s': %s; name with --cacert who certified the server, and leave out --tls if it does not use TLS"
              .formatted(target, failed.getMessage()));
    }
  }

  private static void greet(
      ByteChannel channel, Socket socket, BenchTarget target, Duration patience) {
    boolean welcome = false;
    try {
      String reply = ask(channel, socket.getInputStream(), target);
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
      socket.setSoTimeout(0);
      welcome = true;
    } catch (SocketTimeoutException silent) {
      throw new UserError(
          "'%s' accepted the connection but did not answer within %s; check that it is a RESP server, and that it is not stopped or overloaded"
              .formatted(target, TimeSpan.format(patience.toMillis() / 1e3)));
    } catch (IOException failed) {
      throw new UserError(
          "'%s' does not answer as a RESP server does: %s".formatted(target, failed.getMessage()));
    } finally {
      if (!welcome) {
        closeQuietly(channel);
      }
    }
  }

  static void closeQuietly(ByteChannel socket) {
    try {
      socket.close();
    } catch (IOException late) {
      // The connection is not needed any more.
    }
  }

  private static SocketChannel connect(BenchTarget target, int patienceMillis) {
    try {
      SocketChannel socket = SocketChannel.open();
      try {
        InetSocketAddress address = new InetSocketAddress(target.host(), target.port());
        socket.socket().connect(address, patienceMillis);
        socket.socket().setSoTimeout(patienceMillis);
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return socket;
      } catch (IOException failed) {
        closeQuietly(socket);
        throw failed;
      }
    } catch (IOException failed) {
      String reason = failed.getMessage();
      throw new UserError(
          "cannot connect to '%s': %s; check the host and the port, and that the server runs"
              .formatted(target, reason == null ? "unknown host" : reason));
    }
  }

  private static String ask(ByteChannel socket, InputStream in, BenchTarget target)
      throws IOException {
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
      // Only reads of the stream end after the time limit.
      int read = in.read(line.array(), line.position(), line.remaining());
      if (read < 0) {
        throw new EOFException("it closed the connection");
      }
      line.position(line.position() + read);
    }
    return new String(line.array(), 0, line.position(), StandardCharsets.ISO_8859_1).strip();
  }

  private static void send(ByteChannel socket, byte[] bytes) throws IOException {
    ByteBuffer left = ByteBuffer.wrap(bytes);
    while (left.hasRemaining()) {
      socket.write(left);
    }
  }
}
