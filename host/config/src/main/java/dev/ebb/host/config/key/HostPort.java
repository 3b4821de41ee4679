package dev.ebb.host.config.key;

import java.util.Optional;

/**
 * An address of another process.
 *
 * @param host a name or an address, without brackets
 * @param port 1 to 65,535
 */
public record HostPort(String host, int port) {

  static final int MAX_PORT = 65_535;

  /**
   * Parses an address.
   *
   * @param text such as {@code 10.0.0.1:7480} or {@code [::1]:7480}
   * @return empty if it is not of this form
   */
  public static Optional<HostPort> parse(String text) {
    String given = text.strip();
    int colon = given.lastIndexOf(':');
    if (colon < 1 || !given.substring(colon + 1).matches("\\d{1,5}")) {
      return Optional.empty();
    }
    int port = Integer.parseInt(given.substring(colon + 1));
    String host = given.substring(0, colon);
    boolean brackets = host.startsWith("[") && host.endsWith("]");
    host = brackets ? host.substring(1, host.length() - 1) : host;
    boolean plain = !host.isBlank() && (brackets || host.indexOf(':') < 0);
    return plain && port > 0 && port <= MAX_PORT
        ? Optional.of(new HostPort(host, port))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
