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
 * @param tokens the tokens of which clients must send one
 * @param tls the files for HTTPS; null for HTTP
 */
public record HttpOptions(
    InetSocketAddress address, AccessTokens tokens, @Nullable TlsFiles tls, Names names) {

  /**
   * What messages call the options of a server.
   *
   * @param port the option that changes the port: {@code --admin-port}
   * @param token the option that sets the token: {@code ebb.admin.token}
   * @param tls the options with the TLS files: {@code ebb.admin.tls}
   */
  public record Names(String port, String token, String tls) {
    public Names {
      requireNonNull(port, "port is null");
      requireNonNull(token, "token is null");
      requireNonNull(tls, "tls is null");
    }
  }

  /** Checks that a server without a token listens on loopback only. */
  public HttpOptions {
    requireNonNull(address, "address is null");
    requireNonNull(tokens, "tokens is null");
    requireNonNull(names, "names is null");
    if (tokens.isEmpty() && !address.getAddress().isLoopbackAddress()) {
      throw new IllegalArgumentException("'" + address + "' is open to others and has no token");
    }
  }
}
