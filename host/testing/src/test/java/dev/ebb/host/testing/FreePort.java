package dev.ebb.host.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;

/** Ports for servers whose port must be known before they start. */
public final class FreePort {

  private static final Random RANDOM = new Random();

  private FreePort() {}

  /** Returns a free port, which is none of those that the system chooses for connections. */
  public static int any() {
    while (true) {
      int port = RANDOM.nextInt(20_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException used) {
        // Tries another one.
      }
    }
  }
}
