package dev.ebb.host.engine.tier;

import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.errors.UserError;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A connection to a RESP server on which no call lasts beyond a deadline. For one thread. */
public final class RemoteConnection implements AutoCloseable {

  /** After a failure, a server is not asked for this time. */
  public static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int BUFFER = 16 << 10;
  private static final int LONGEST_LINE = 512;
  private static final byte[] LINE_END = {'\r', '\n'};

  private long deadline;
  private final SocketChannel socket;
  private final Selector selector;
  private final ByteBuffer received = ByteBuffer.allocate(BUFFER).flip();

  /**
   * Returns the address of a server, which need not run yet.
   *
   * @param key the configuration key that names it
   * @throws UserError if the host is unknown
   */
  public static InetSocketAddress resolve(HostPort address, String key) {
    InetSocketAddress server = new InetSocketAddress(address.host(), address.port());
    if (server.isUnresolved()) {
      throw new UserError(
          "%s = '%s': the host is unknown; use the address of an Ebb server, such as 127.0.0.1:6380"
              .formatted(key, address));
    }
    return server;
  }

  /**
   * Connects to a server.
   *
   * @param deadline a value of {@link System#nanoTime}
   * @throws IOException if it is not reachable, or refuses the password
   */
  public static RemoteConnection open(
      SocketAddress server, @Nullable String password, long deadline) throws IOException {
    SocketChannel socket = SocketChannel.open();
    try {
      RemoteConnection connection = new RemoteConnection(socket, deadline);
      connection.connect(server, password);
      return connection;
    } catch (IOException | RuntimeException | Error failed) {
      socket.close();
      throw failed;
    }
  }

  private RemoteConnection(SocketChannel socket, long deadline) throws IOException {
    this.deadline = deadline;
    this.socket = socket;
    selector = Selector.open();
  }

  private void connect(SocketAddress server, @Nullable String password) throws IOException {
    try {
      socket.configureBlocking(false);
      socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
      socket.register(selector, 0);
      if (!socket.connect(server)) {
        while (!socket.finishConnect()) {
          await(SelectionKey.OP_CONNECT);
        }
      }
      if (password != null) {
        write(command(2, "AUTH", password.getBytes(StandardCharsets.UTF_8)));
        String reply = line();
        if (!reply.equals("+OK")) {
          throw unexpected(reply);
        }
      }
    } catch (IOException | RuntimeException | Error failed) {
      selector.close();
      throw failed;
    }
  }

  /** Sets the deadline of the next calls, a value of {@link System#nanoTime}. */
  void until(long nanoTime) {
    deadline = nanoTime;
  }

  /** Returns the beginning of a command, with its first arguments. */
  public static ByteBuffer command(int words, String name, byte[]... arguments) {
    int size = 32 + name.length();
    for (byte[] argument : arguments) {
      size += 16 + argument.length;
    }
    ByteBuffer command = ByteBuffer.allocate(size);
    command.put(ascii("*%d\r\n$%d\r\n%s\r\n".formatted(words, name.length(), name)));
    for (byte[] argument : arguments) {
      command.put(ascii("$%d\r\n".formatted(argument.length))).put(argument).put(LINE_END);
    }
    return command.flip();
  }

  public static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Sends all bytes. */
  public void write(ByteBuffer... pieces) throws IOException {
    for (int first = 0; first < pieces.length; ) {
      checkTime();
      if (!pieces[first].hasRemaining()) {
        first++;
      } else if (socket.write(pieces, first, pieces.length - first) == 0) {
        await(SelectionKey.OP_WRITE);
      }
    }
  }

  /** Fills all targets. */
  public void read(ByteBuffer... targets) throws IOException {
    for (int first = 0; first < targets.length; ) {
      checkTime();
      ByteBuffer target = targets[first];
      if (!target.hasRemaining()) {
        first++;
      } else if (received.hasRemaining()) {
        int length = Math.min(received.remaining(), target.remaining());
        target.put(received.slice(received.position(), length));
        received.position(received.position() + length);
      } else {
        awaitIfNone(socket.read(targets, first, targets.length - first));
      }
    }
  }

  /** Returns the next line. */
  public String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (line.isEmpty() || line.charAt(line.length() - 1) != '\n') {
      if (!received.hasRemaining()) {
        fill();
      } else if (line.length() == LONGEST_LINE) {
        throw unexpected(line.toString());
      } else {
        line.append((char) (received.get() & 0xFF));
      }
    }
    return line.toString().strip();
  }

  /** Returns the number in the next line, an integer or the size of a value. */
  public long number() throws IOException {
    String line = line();
    if (!line.matches("[:$]-?\\d{1,18}")) {
      throw unexpected(line);
    }
    return Long.parseLong(line, 1, line.length(), 10);
  }

  public static IOException unexpected(String reply) {
    return new IOException("the reply is '%s'".formatted(reply));
  }

  private void fill() throws IOException {
    received.clear();
    try {
      awaitIfNone(socket.read(received));
    } finally {
      received.flip();
    }
  }

  private void awaitIfNone(long read) throws IOException {
    if (read < 0) {
      throw new EOFException("the server closed the connection");
    }
    if (read == 0) {
      await(SelectionKey.OP_READ);
    }
  }

  private void await(int operation) throws IOException {
    long millis = TimeUnit.NANOSECONDS.toMillis(checkTime());
    socket.keyFor(selector).interestOps(operation);
    selector.select(Math.max(1, millis));
    selector.selectedKeys().clear();
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted");
    }
  }

  /** Returns the nanoseconds that are left. */
  private long checkTime() throws IOException {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new SocketTimeoutException("it took longer than its timeout");
    }
    return left;
  }

  @Override
  public void close() throws IOException {
    try (selector) {
      socket.close();
    }
  }
}
