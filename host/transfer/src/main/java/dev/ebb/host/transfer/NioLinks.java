package dev.ebb.host.transfer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** TCP connections: direct memory goes to and from the socket without a copy, except with TLS. */
final class NioLinks implements LinkProvider {

  static final String NAME = "nio";

  private static final int BACKLOG = 512;

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public LinkListener listen(InetSocketAddress address, @Nullable SSLContext tls)
      throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(resolved(address), BACKLOG);
      return new Listener(channel, (InetSocketAddress) channel.getLocalAddress(), tls);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  @Override
  public Link connect(InetSocketAddress peer, Duration timeout, @Nullable SSLContext tls)
      throws IOException {
    InetSocketAddress address = resolved(peer);
    SocketChannel channel = SocketChannel.open();
    try {
      channel.socket().connect(address, Math.toIntExact(Math.max(1, timeout.toMillis())));
      return opened(channel, tls, true);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
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
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    String peer = String.valueOf(channel.getRemoteAddress());
    return tls == null
        ? new PlainLink(channel, peer)
        : new TlsLink(channel, secured(channel.socket(), tls, client), peer);
  }

  private static SSLSocket secured(Socket socket, SSLContext tls, boolean client)
      throws IOException {
    InetSocketAddress remote = (InetSocketAddress) socket.getRemoteSocketAddress();
    SSLSocket secured =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(socket, remote.getHostString(), remote.getPort(), true);
    secured.setUseClientMode(client);
    secured.setNeedClientAuth(!client);
    return secured;
  }

  private record Listener(
      ServerSocketChannel channel, InetSocketAddress address, @Nullable SSLContext tls)
      implements LinkListener {

    @Override
    public Link accept() throws IOException {
      SocketChannel accepted = channel.accept();
      try {
        return opened(accepted, tls, false);
      } catch (IOException | RuntimeException failed) {
        accepted.close();
        throw failed;
      }
    }

    @Override
    public void close() {
      quietly(channel);
    }
  }

  private record PlainLink(SocketChannel channel, String peer) implements Link {

    @Override
    public int read(ByteBuffer target) throws IOException {
      return channel.read(target);
    }

    @Override
    public void write(ByteBuffer[] sources) throws IOException {
      channel.write(sources);
    }

    @Override
    public boolean usable() {
      try {
        channel.configureBlocking(false);
        int read = channel.read(ByteBuffer.allocate(1));
        channel.configureBlocking(true);
        return read == 0;
      } catch (IOException closed) {
        return false;
      }
    }

    @Override
    public void close() {
      quietly(channel);
    }
  }

  static void quietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Exception ignored) {
      // There is nothing left to do with it.
    }
  }
}
