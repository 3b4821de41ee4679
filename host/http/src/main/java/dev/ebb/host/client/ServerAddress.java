package dev.ebb.host.client;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.text.KeyText;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The address and the token of an admin server.
 *
 * @param base its address, without a slash at the end
 */
public record ServerAddress(URI base, @Nullable String token) {

  public ServerAddress {
    if (token != null && !KeyText.isVisibleAscii(token)) {
      throw new UserError(
          "the token holds a space or a character beyond ASCII, which no server takes; check"
              + " EBB_ADMIN_TOKEN, --token or ebb.admin.token");
    }
  }

  /** Parses an address such as {@code http://127.0.0.1:9090}. */
  public static ServerAddress parse(String url) {
    try {
      URI uri = new URI(url.strip().replaceAll("/+$", ""));
      boolean http = "http".equalsIgnoreCase(uri.getScheme());
      if ((http || "https".equalsIgnoreCase(uri.getScheme()))
          && uri.getHost() != null
          && uri.getRawUserInfo() == null
          && uri.getRawQuery() == null
          && uri.getRawFragment() == null
          && uri.getPort() <= 65_535) {
        return new ServerAddress(uri, null);
      }
    } catch (URISyntaxException malformed) {
      // Reported below, like a wrong scheme.
    }
    throw new UserError(
        "'%s' is not the address of a server; write it as http://127.0.0.1:9090".formatted(url));
  }

  /**
   * Returns the configured address of an Ebb process on this machine.
   *
   * @param bind the bind address; a wildcard address is reached over loopback
   * @throws UserError if the port is 0, because the actual port is unknown
   */
  public static ServerAddress configured(String bind, int port, boolean encrypted) {
    if (port == 0) {
      throw new UserError(
          "ebb.admin.port = '0' means any free port; use --url with the address that 'ebb serve'"
              + " printed");
    }
    String host = reachable(bind);
    return parse(
        "%s://%s:%d"
            .formatted(
                encrypted ? "https" : "http", host.contains(":") ? "[" + host + "]" : host, port));
  }

  /** Returns how a process on this machine reaches a bind address, which may be a wildcard. */
  public static String reachable(String bind) {
    try {
      InetAddress address = InetAddress.getByName(bind);
      return address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
    } catch (UnknownHostException reportedByTheCall) {
      return bind;
    }
  }

  public boolean encrypted() {
    return "https".equalsIgnoreCase(base.getScheme());
  }

  /** Returns a copy with a token; null for none. */
  public ServerAddress with(@Nullable String shown) {
    return new ServerAddress(base, shown);
  }

  @Override
  public String toString() {
    return base.toString();
  }
}
