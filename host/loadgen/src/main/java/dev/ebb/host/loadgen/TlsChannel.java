package dev.ebb.host.loadgen;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import org.jspecify.annotations.Nullable;

/**
 * An encrypted connection. It waits for the server until {@link #withoutWaiting()}; from then on
 * reads and writes return immediately, as those of its socket.
 */
final class TlsChannel implements ByteChannel, GatheringByteChannel {

  private static final ByteBuffer[] NOTHING = {ByteBuffer.allocate(0)};

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final ByteBuffer encrypted;
  private final ByteBuffer decrypted;
  private final ByteBuffer outgoing;
  private @Nullable InputStream waiting;
  private boolean handshaking = true;

  /**
   * Creates a connection and shakes hands.
   *
   * @param socket connected; its time limit for reads holds until {@link #withoutWaiting()}
   * @param engine of a client
   */
  TlsChannel(SocketChannel socket, SSLEngine engine) throws IOException {
    this.socket = socket;
    this.engine = engine;
    int packet = engine.getSession().getPacketBufferSize();
    encrypted = ByteBuffer.allocate(2 * packet).flip();
    outgoing = ByteBuffer.allocate(2 * packet).flip();
    decrypted = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize()).flip();
    waiting = socket.socket().getInputStream();
    shakeHands();
  }

  private void shakeHands() throws IOException {
    engine.beginHandshake();
    while (true) {
      switch (engine.getHandshakeStatus()) {
        case NEED_WRAP -> {
          wrap(NOTHING, 0, 1);
          flush();
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (unwrap() < 0) {
            throw new EOFException("the server closed the connection");
          }
        }
        case NEED_TASK -> runTasks();
        default -> {
          handshaking = false;
          return;
        }
      }
    }
  }

  private void runTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  /** Makes reads and writes return immediately. */
  void withoutWaiting() throws IOException {
    waiting = null;
    socket.configureBlocking(false);
  }

  SocketChannel socket() {
    return socket;
  }

  /** Fills the buffer as far as bytes have arrived. */
  @Override
  public int read(ByteBuffer to) throws IOException {
    int start = to.position();
    while (to.hasRemaining()) {
      if (!decrypted.hasRemaining()) {
        if (waiting != null && to.position() > start) {
          break;
        }
        int read = unwrap();
        if (read < 0 && to.position() == start) {
          return -1;
        }
        if (read <= 0) {
          break;
        }
      }
      int bytes = Math.min(to.remaining(), decrypted.remaining());
      to.put(to.position(), decrypted, decrypted.position(), bytes);
      to.position(to.position() + bytes);
      decrypted.position(decrypted.position() + bytes);
    }
    return to.position() - start;
  }

  /** Decrypts the next record; returns 0 if it has not arrived, and -1 at the end. */
  private int unwrap() throws IOException {
    while (true) {
      decrypted.clear();
      SSLEngineResult result = engine.unwrap(encrypted, decrypted);
      decrypted.flip();
      if (result.getStatus() == Status.CLOSED) {
        return -1;
      }
      if (result.bytesProduced() > 0) {
        return result.bytesProduced();
      }
      if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
        int received = receive();
        if (received <= 0) {
          return received;
        }
      } else if (handshaking) {
        return 0;
      } else if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
        runTasks();
      } else if (result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
        // The server has changed its keys, and wants others of this side too.
        wrap(NOTHING, 0, 1);
        flush();
      }
    }
  }

  private int receive() throws IOException {
    encrypted.compact();
    try {
      InputStream from = waiting;
      if (from == null) {
        return socket.read(encrypted);
      }
      int read = from.read(encrypted.array(), encrypted.position(), encrypted.remaining());
      encrypted.position(encrypted.position() + Math.max(0, read));
      return read;
    } finally {
      encrypted.flip();
    }
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    return (int) write(new ByteBuffer[] {from}, 0, 1);
  }

  @Override
  public long write(ByteBuffer[] from) throws IOException {
    return write(from, 0, from.length);
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) throws IOException {
    long wrote = 0;
    while (flush() && hasRemaining(from, offset, length)) {
      wrote += wrap(from, offset, length);
    }
    return wrote;
  }

  private static boolean hasRemaining(ByteBuffer[] buffers, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (buffers[i].hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  private int wrap(ByteBuffer[] from, int offset, int length) throws IOException {
    outgoing.compact();
    try {
      SSLEngineResult result = engine.wrap(from, offset, length, outgoing);
      if (result.getStatus() == Status.CLOSED) {
        throw new EOFException("the server closed the connection");
      }
      return result.bytesConsumed();
    } finally {
      outgoing.flip();
    }
  }

  /** Sends what is encrypted; returns whether the socket accepted all of it. */
  boolean flush() throws IOException {
    while (outgoing.hasRemaining()) {
      if (socket.write(outgoing) == 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
