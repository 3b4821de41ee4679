package dev.ebb.host.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Detects a server that is called with {@code https} but speaks plain HTTP. Such a server reads the
 * TLS handshake as an unfinished request line, so both sides would wait.
 */
final class PlainHttpProbe {

  private static final int DEFAULT_PORT = 443;
  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final String RIGHT = "HTTP/1.1 200";

  private PlainHttpProbe() {}

  /**
   * Returns whether the server answers a plain HTTP health request as Ebb does. The request needs
   * no token.
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
      // The call itself will report the error.
      return false;
    }
  }
}
