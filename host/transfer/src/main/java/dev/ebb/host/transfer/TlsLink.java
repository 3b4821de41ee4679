package dev.ebb.host.transfer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** An encrypted TCP connection. Copies each byte once. */
final class TlsLink extends Link {

  private static final int CHUNK = 16 << 10;
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SSLSocket socket;
  private final byte[] received = new byte[CHUNK];
  private final byte[] sent = new byte[CHUNK];
  private long lastRead = System.nanoTime();

  TlsLink(SocketChannel channel, SSLContext tls, boolean client) throws IOException {
    super(channel);
    InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
    socket =
        (SSLSocket)
            tls.getSocketFactory()
                .createSocket(channel.socket(), remote.getHostString(), remote.getPort(), true);
    socket.setUseClientMode(client);
    socket.setNeedClientAuth(!client);
  }

  @Override
  int read(ByteBuffer target) throws IOException {
    int read = socket.getInputStream().read(received, 0, Math.min(CHUNK, target.remaining()));
    if (read > 0) {
      target.put(received, 0, read);
      lastRead = System.nanoTime();
    }
    return read;
  }

  @Override
  void write(ByteBuffer[] sources) throws IOException {
    int filled = 0;
    for (ByteBuffer source : sources) {
      int bytes = Math.min(CHUNK - filled, source.remaining());
      source.get(sent, filled, bytes);
      filled += bytes;
    }
    socket.getOutputStream().write(sent, 0, filled);
  }

  /** Reads for a millisecond if the connection was unused for longer than a second. */
  @Override
  boolean usable() {
    if (System.nanoTime() - lastRead < RECENT_NANOS) {
      return channel.isOpen();
    }
    try {
      socket.setSoTimeout(1);
      socket.getInputStream().read();
      return false;
    } catch (SocketTimeoutException open) {
      return withoutTimeout();
    } catch (IOException closed) {
      return false;
    }
  }

  private boolean withoutTimeout() {
    try {
      socket.setSoTimeout(0);
      return true;
    } catch (IOException closed) {
      return false;
    }
  }
}
