package dev.ebb.host.loadgen;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** The streams of a socket as a channel, for sockets with TLS, which have none. */
final class StreamChannel implements ByteChannel {

  private final Socket socket;
  private final ReadableByteChannel in;
  private final WritableByteChannel out;

  StreamChannel(Socket socket) throws IOException {
    this.socket = socket;
    in = Channels.newChannel(socket.getInputStream());
    out = Channels.newChannel(socket.getOutputStream());
  }

  Socket socket() {
    return socket;
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    return in.read(target);
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    return out.write(source);
  }

  @Override
  public boolean isOpen() {
    return !socket.isClosed();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
