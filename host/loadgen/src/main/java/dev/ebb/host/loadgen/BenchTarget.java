package dev.ebb.host.loadgen;

import static java.util.Objects.requireNonNull;

import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The server under load.
 *
 * @param port its port, 1 to 65535
 * @param user the user of the password; null for the default one
 * @param processId of the server on this machine, whose CPU time is measured; 0 if not wanted
 * @param tls for connections with TLS; null for none
 */
public record BenchTarget(
    String host,
    int port,
    @Nullable String user,
    @Nullable String password,
    long processId,
    @Nullable SSLContext tls) {

  public BenchTarget(
      String host, int port, @Nullable String password, long processId, @Nullable SSLContext tls) {
    this(host, port, null, password, processId, tls);
  }

  public BenchTarget {
    requireNonNull(host, "host is null");
    if (port < 1 || port > 65_535 || processId < 0) {
      throw new IllegalArgumentException(
          "port '%d' must be 1 to 65535, processId '%d' at least 0".formatted(port, processId));
    }
  }

  /** Returns the same server, with a login. */
  public BenchTarget with(@Nullable String name, String secret) {
    return new BenchTarget(host, port, name, secret, processId, tls);
  }

  /** Returns the same server, to be reached with TLS. */
  public BenchTarget with(SSLContext context) {
    return new BenchTarget(host, port, user, password, processId, context);
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
