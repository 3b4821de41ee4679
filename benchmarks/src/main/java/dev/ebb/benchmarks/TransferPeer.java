package dev.ebb.benchmarks;

import dev.ebb.host.transfer.FetchListener;
import dev.ebb.host.transfer.TransferOptions;
import dev.ebb.host.transfer.TransferServer;
import dev.ebb.host.transfer.TransferSource;
import dev.ebb.host.transfer.ValueHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The process that {@link TransferRate} receives from: a transfer server, and a plain server that
 * sends as many bytes as a client asks for.
 */
final class TransferPeer {

  static final int DATA = 256 << 20;

  private TransferPeer() {}

  /** A value at a place in the memory; the key is its offset and length. */
  private record Slice(ByteBuffer bytes, ValueHeader header) implements TransferSource {

    static Slice of(ByteBuffer memory, byte[] key) {
      ByteBuffer fields = ByteBuffer.wrap(key);
      ByteBuffer bytes = memory.slice(fields.getInt(), fields.getInt());
      return new Slice(bytes, new ValueHeader(1, Long.MAX_VALUE, bytes.capacity(), new byte[0]));
    }

    @Override
    public ByteBuffer piece(long offset, int most) {
      return bytes.slice((int) offset, most);
    }

    @Override
    public void close() {}
  }

  /** Prints the two ports, and serves until its input ends. */
  public static void main(String[] arguments) throws IOException {
    ByteBuffer memory = memory();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (TransferServer server =
            TransferServer.start(
                any,
                (key, read) -> Slice.of(memory, key),
                message -> message,
                FetchListener.NONE,
                TransferOptions.of(new byte[0]));
        ServerSocketChannel plain = ServerSocketChannel.open().bind(any)) {
      Thread.ofVirtual().start(() -> accept(plain, memory));
      System.out.println(
          server.address().getPort()
              + " "
              + ((InetSocketAddress) plain.getLocalAddress()).getPort());
      while (System.in.read() >= 0) {}
    }
  }

  /** Returns memory outside the heap, like a pool's, with every page present. */
  static ByteBuffer memory() {
    return Arena.ofShared().allocate(DATA, 1 << 21).fill((byte) 7).asByteBuffer();
  }

  private static void accept(ServerSocketChannel listener, ByteBuffer memory) {
    try {
      while (true) {
        SocketChannel client = listener.accept();
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Thread.ofVirtual().start(() -> stream(client, memory));
      }
    } catch (IOException closed) {
      // The process ends.
    }
  }

  private static void stream(SocketChannel client, ByteBuffer memory) {
    ByteBuffer request = ByteBuffer.allocateDirect(2 * Integer.BYTES);
    try (client) {
      while (client.read(request) > 0) {
        if (!request.hasRemaining()) {
          request.flip();
          ByteBuffer bytes = memory.slice(request.getInt(), request.getInt());
          while (bytes.hasRemaining()) {
            client.write(bytes);
          }
          request.clear();
        }
      }
    } catch (IOException closed) {
      // The client has ended.
    }
  }
}
