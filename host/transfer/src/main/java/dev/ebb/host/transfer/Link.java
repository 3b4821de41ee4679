package dev.ebb.host.transfer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection to another node: two streams of bytes. One thread reads, one writes; any thread
 * may close it, and reads and writes then end with an exception. Direct memory goes to and from the
 * socket without a copy, except with TLS.
 */
sealed class Link implements AutoCloseable permits TlsLink {

  private static final int BACKLOG = 512;

  final SocketChannel channel;
  private final String peer;

  Link(SocketChannel channel) throws IOException {
    this.channel = channel;
    peer = String.valueOf(channel.getRemoteAddress());
  }

  static ServerSocketChannel listen(InetSocketAddress address) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      return channel.bind(resolved(address), BACKLOG);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  static Link accept(ServerSocketChannel listener, @Nullable SSLContext tls) throws IOException {
    return opened(listener.accept(), tls, false);
  }

  static Link connect(InetSocketAddress peer, Duration timeout, @Nullable SSLContext tls)
      throws IOException {
    InetSocketAddress address = resolved(peer);
    SocketChannel channel = SocketChannel.open();
    try {
      channel.socket().connect(address, Math.toIntExact(Math.max(1, timeout.toMillis())));
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
    return opened(channel, tls, true);
  }

  /** Resolves again a name that had no address, since a peer may get one later. */
  private static InetSocketAddress resolved(InetSocketAddress address) throws UnknownHostException {
    if (!address.isUnresolved()) {
      return address;
    }
    InetSocketAddress again = new InetSocketAddress(address.getHostString(), address.getPort());
    if (again.isUnresolved()) {
      throw new UnknownHostException("host '" + address.getHostString() + "' has no known address");
    }
    return again;
  }

  private static Link opened(SocketChannel channel, @Nullable SSLContext tls, boolean client)
      throws IOException {
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      return tls == null ? new Link(channel) : new TlsLink(channel, tls, client);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Receives at least one byte; returns how many, -1 if the peer has closed the connection. */
  int read(ByteBuffer target) throws IOException {
    return channel.read(target);
  }

  /** Sends some bytes of the buffers, in their order, and moves their positions. */
  void write(ByteBuffer[] sources) throws IOException {
    channel.write(sources);
  }

  /** Returns whether an unused connection is still open, with nothing to read. */
  boolean usable() {
    try {
      channel.configureBlocking(false);
      int read = channel.read(ByteBuffer.allocate(1));
      channel.configureBlocking(true);
      return read == 0;
    } catch (IOException closed) {
      return false;
    }
  }

  final String peer() {
    return peer;
  }

  /** Closes the channel, also below TLS, which would wait for a blocked write. */
  @Override
  public final void close() {
    try {
      channel.close();
    } catch (IOException ignored) {
      // There is nothing left to do with it.
    }
  }
}
