package dev.ebb.host.http;

import static java.util.Objects.requireNonNull;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * How the server is set up.
 *
 * @param address where to listen, port 0 for any free one; beyond this machine only with a token
 * @param token what callers must give; null for nothing
 * @param portOption what to change if the port is taken, for messages: {@code --admin-port}
 */
public record HttpOptions(InetSocketAddress address, @Nullable String token, String portOption) {

  /** Checks that nobody opens a server without a token. */
  public HttpOptions {
    requireNonNull(address, "address is null");
    requireNonNull(portOption, "portOption is null");
    if (token == null && !address.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException("'" + address + "' is open to others and has no token");
    }
  }
}
