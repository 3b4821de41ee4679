package dev.ebb.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Gives nodes their addresses. */
interface NodeNetwork extends AutoCloseable {

  NodeAddress connect(String node, String rack);

  @Override
  void close();

  /** Returns a network of free ports on the loopback address. */
  static NodeNetwork loopback() {
    return new NodeNetwork() {
      @Override
      public NodeAddress connect(String node, String rack) {
        List<Integer> ports = freePorts(4);
        return new NodeAddress(
            List.of(),
            "127.0.0.1",
            ports.get(0),
            ports.get(1),
            "127.0.0.1",
            ports.get(2),
            ports.get(3));
      }

      @Override
      public void close() {}
    };
  }

  private static List<Integer> freePorts(int count) {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        sockets.add(new ServerSocket(0));
      }
      List<Integer> ports = sockets.stream().map(ServerSocket::getLocalPort).toList();
      for (ServerSocket each : sockets) {
        each.close();
      }
      return ports;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
