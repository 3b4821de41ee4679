package dev.ebb.host.http;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.tls.TlsFiles;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The options of an HTTP server.
 *
 * @param address the bind address, port 0 for any free one; an address other than loopback needs a
 *     token
 * @param token the token that clients must send; null for none
 * @param tls the files for HTTPS; null for HTTP
 * @param portOption the option that changes the port, for messages: {@code --admin-port}
 */
public record HttpOptions(
    InetSocketAddress address, @Nullable String token, @Nullable TlsFiles tls, String portOption) {

  /** Checks that a server without a token listens on loopback only. */
  public HttpOptions {
    requireNonNull(address, "address is null");
    requireNonNull(portOption, "portOption is null");
    if (token == null && !address.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException("'" + address + "' is open to others and has no token");
    }
  }
}
