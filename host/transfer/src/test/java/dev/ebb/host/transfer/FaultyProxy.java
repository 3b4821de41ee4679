package dev.ebb.host.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongPredicate;

/** Passes bytes between a client and a server, with faults. */
final class FaultyProxy implements AutoCloseable {

  /** Changes bytes on their way. Called for one chunk at a time. */
  @FunctionalInterface
  interface Fault {

    /** Passes everything. */
    Fault NONE = (before, bytes, count) -> count;

    /**
     * Changes a chunk.
     *
     * @param before the bytes that arrived earlier in this direction, over all connections
     * @return how many bytes to pass; if fewer than the count, the connection is then cut
     */
    int apply(long before, byte[] bytes, int count);
  }

  private static final int CHUNK = 64 << 10;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final InetSocketAddress target;
  private final Fault toServer;
  private final Fault toClient;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final long[] passed = new long[2];
  private final CountDownLatch end = new CountDownLatch(1);
  private volatile LongPredicate stall = before -> false;
  private volatile int chunk = CHUNK;

  FaultyProxy(InetSocketAddress target, Fault toServer, Fault toClient) throws IOException {
    this.target = target;
    this.toServer = toServer;
    this.toClient = toClient;
    Thread.ofVirtual().start(this::accept);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /**
   * Stops passing bytes to the client on a connection, if a predicate of the bytes so far is true.
   */
  void stallIf(LongPredicate predicate) {
    stall = predicate;
  }

  /** Passes at most so many bytes in one write. */
  void chunk(int bytes) {
    chunk = bytes;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(target.getAddress(), target.getPort());
        sockets.add(client);
        sockets.add(server);
        Thread.ofVirtual().start(() -> pump(client, server, 0, toServer));
        Thread.ofVirtual().start(() -> pump(server, client, 1, toClient));
      } catch (IOException closed) {
        // The test has ended, or the server has.
      }
    }
  }

  private void pump(Socket from, Socket to, int direction, Fault fault) {
    try (from;
        to;
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      byte[] bytes = new byte[CHUNK];
      int read = in.read(bytes, 0, chunk);
      while (read > 0) {
        int pass;
        boolean stalled;
        synchronized (passed) {
          stalled = direction == 1 && stall.test(passed[direction]);
          pass = fault.apply(passed[direction], bytes, read);
          passed[direction] += read;
        }
        if (stalled) {
          end.await();
        }
        out.write(bytes, 0, pass);
        if (pass < read) {
          return;
        }
        read = in.read(bytes, 0, chunk);
      }
    } catch (IOException | InterruptedException closed) {
      // One of the sides has closed the connection.
    }
  }

  @Override
  public void close() throws IOException {
    end.countDown();
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
