package dev.ebb.host.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Finds out whether a server that is called with {@code https} speaks plain HTTP: it would wait for
 * the end of what it takes for a very long request line, and the caller for its answer.
 */
final class PlainHttpProbe {

  private static final int DEFAULT_PORT = 443;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final String RIGHT = "HTTP/1.1 200";

  private PlainHttpProbe() {}

  /**
   * Returns whether it answers a plain question about its health, which needs no token, as Ebb
   * does.
   */
  static boolean isSpokenBy(URI server) {
    int port = server.getPort() < 0 ? DEFAULT_PORT : server.getPort();
    String question =
        "GET /health/live HTTP/1.1\r\nHost: %s:%d\r\nConnection: close\r\n\r\n"
            .formatted(server.getHost(), port);
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(server.getHost(), port), (int) TIMEOUT.toMillis());
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.getOutputStream().write(question.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(RIGHT.length()), StandardCharsets.US_ASCII).equals(RIGHT);
    } catch (IOException noAnswer) {
      // The call itself will tell what is wrong.
      return false;
    }
  }
}
