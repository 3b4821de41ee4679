package dev.ebb.host.client;

import dev.ebb.host.errors.UserError;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Where the admin server of an Ebb is, and the key to it.
 *
 * @param base its address, without a slash at the end
 * @param token what to show; null for nothing
 */
public record ServerAddress(URI base, @Nullable String token) {

  /** Checks that the token can be sent. */
  public ServerAddress {
    if (token != null && !token.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
      throw new UserError(
          "the token holds a space or a character beyond ASCII, which no server takes; check"
              + " EBB_ADMIN_TOKEN, --token or ebb.admin.token");
    }
  }

  /**
   * Reads an address.
   *
   * @param url for example {@code http://127.0.0.1:9090}
   * @return the address, without a token
   * @throws UserError if it is no address of an HTTP server
   */
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
      // Told below, as one of another kind is.
    }
    throw new UserError(
        "'%s' is not the address of a server; write it as http://127.0.0.1:9090".formatted(url));
  }

  /**
   * Returns the address of an Ebb on this machine, as it is configured.
   *
   * @param bind what it listens on; an address that stands for all is reached over loopback
   * @return the address, without a token
   * @throws UserError if the port is 0, so that nobody knows it
   */
  public static ServerAddress configured(String bind, int port) {
    if (port == 0) {
      throw new UserError(
          "ebb.admin.port = '0' stands for any free port; say with --url which one 'ebb serve' has"
              + " taken");
    }
    String host = bind;
    try {
      InetAddress address = InetAddress.getByName(bind);
      host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
    } catch (UnknownHostException unknown) {
      // Told when it is called.
    }
    return parse("http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, port));
  }

  /**
   * Returns the same with a key.
   *
   * @param shown what to show; null for nothing
   * @return an address
   * @throws UserError if it cannot be sent
   */
  public ServerAddress with(@Nullable String shown) {
    return new ServerAddress(base, shown);
  }

  @Override
  public String toString() {
    return base.toString();
  }
}
