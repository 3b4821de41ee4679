package dev.ebb.dist;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Gives nodes their addresses. */
interface NodeNetwork extends AutoCloseable {

  /** Linux uses ports from 32,768 for connections. */
  int HIGHEST_PORT = 32_000;

  int LOWEST_PORT = 20_000;

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

  /** Returns free ports that the system gives to no connection while their node is down. */
  static List<Integer> freePorts(int count) {
    Random random = new Random();
    Set<Integer> ports = new LinkedHashSet<>();
    while (ports.size() < count) {
      int port = random.nextInt(LOWEST_PORT, HIGHEST_PORT);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        ports.add(socket.getLocalPort());
      } catch (IOException used) {
        // Another one is tried.
      }
    }
    return List.copyOf(ports);
  }
}
