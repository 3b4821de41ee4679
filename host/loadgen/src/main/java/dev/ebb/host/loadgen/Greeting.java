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
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** Opens connections and checks that the server accepts them. */
final class Greeting {

  private static final int LONGEST = 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Greeting() {}

  /**
   * Returns an authenticated connection, with TLS if wanted, whose reads and writes return
   * immediately.
   *
   * @throws UserError if there is no such server, or it refuses the connection
   */
  static ByteChannel open(BenchTarget target) {
    return open(target, PATIENCE);
  }

  static ByteChannel open(BenchTarget target, Duration patience) {
    ByteChannel channel = openBlocking(target, patience);
    try {
      if (channel instanceof TlsChannel encrypted) {
        encrypted.withoutWaiting();
      } else if (channel instanceof SocketChannel plain) {
        plain.configureBlocking(false);
      }
      return channel;
    } catch (IOException closed) {
      throw new UncheckedIOException(closed);
    }
  }

  /** Returns an authenticated connection whose reads and writes wait; with TLS if wanted. */
  static ByteChannel openBlocking(BenchTarget target) {
    return openBlocking(target, PATIENCE);
  }

  private static ByteChannel openBlocking(BenchTarget target, Duration patience) {
    SocketChannel plain = connect(target, (int) patience.toMillis());
    SSLContext context = target.tls();
    ByteChannel channel = context == null ? plain : encrypted(plain, target, context);
    greet(channel, plain.socket(), target, patience);
    return channel;
  }

  private static TlsChannel encrypted(SocketChannel plain, BenchTarget target, SSLContext context) {
    try {
      SSLEngine engine = context.createSSLEngine(target.host(), target.port());
      engine.setUseClientMode(true);
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      engine.setSSLParameters(parameters);
      return new TlsChannel(plain, engine);
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
      // Only reads of the stream end after the time limit.
      InputStream in =
          channel instanceof TlsChannel
              ? Channels.newInputStream(channel)
              : socket.getInputStream();
      String reply = ask(channel, in, target);
      if (!reply.startsWith("+")) {
        throw new UserError(
            "'%s' answers '%s'; %s"
                .formatted(
                    target,
                    reply,
                    target.password() == null
                        ? "does it ask for a password? Add --password-file, or set EBB_PASSWORD"
                        : "are the user and the password right?"));
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
      boolean unknown = reason == null || failed instanceof UnknownHostException;
      throw new UserError(
          "cannot connect to '%s': %s; check the host and the port, and that the server runs"
              .formatted(target, unknown ? "unknown host" : reason));
    }
  }

  private static String ask(ByteChannel socket, InputStream in, BenchTarget target)
      throws IOException {
    ByteBuffer command = RespClient.command(greeting(target));
    while (command.hasRemaining()) {
      socket.write(command);
    }
    ByteBuffer line = ByteBuffer.allocate(LONGEST);
    while (line.position() == 0 || line.get(line.position() - 1) != '\n') {
      if (!line.hasRemaining()) {
        throw new IOException("its first line does not end");
      }
      int read = in.read(line.array(), line.position(), line.remaining());
      if (read < 0) {
        throw new EOFException("it closed the connection");
      }
      line.position(line.position() + read);
    }
    return new String(line.array(), 0, line.position(), StandardCharsets.ISO_8859_1).strip();
  }

  private static List<byte[]> greeting(BenchTarget target) {
    String password = target.password();
    String user = target.user();
    List<String> words =
        password == null
            ? List.of("PING")
            : user == null ? List.of("AUTH", password) : List.of("AUTH", user, password);
    return words.stream().map(word -> word.getBytes(StandardCharsets.UTF_8)).toList();
  }
}
