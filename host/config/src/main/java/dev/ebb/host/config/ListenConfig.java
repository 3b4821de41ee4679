package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Where a server listens.
 *
 * @param bind a name or an address of this machine
 * @param port 0 for any free port
 * @param secret the clients' password or token; null for none
 */
public record ListenConfig(Keys keys, String bind, int port, @Nullable String secret) {

  /** The keys of one server. */
  record Keys(ConfigKey<String> bind, ConfigKey<Integer> port, ConfigKey<String> secret) {

    /** Adds the keys to a section. */
    static Keys of(SectionKeys keys, String section, String protocol, int port, Secret secret) {
      String path = section + ".";
      return new Keys(
          keys.key(path + "bind", "\"127.0.0.1\"", ValueType.TEXT)
              .fixed(
                  "%s address. A non-loopback address needs a %s."
                      .formatted(protocol, secret.name())),
          keys.key(path + "port", String.valueOf(port), ValueType.integer(0, 65_535))
              .fixed(protocol + " port; 0 for any free port."),
          keys.key(path + secret.name(), "\"\"", ValueType.SECRET).fixed(secret.meaning()));
    }

    ListenConfig read(ConfigReader reader) {
      return new ListenConfig(this, reader.get(bind), reader.get(port), reader.secret(secret));
    }
  }

  /** The name of a secret's key, and its meaning. */
  record Secret(String name, String meaning) {}

  /**
   * Returns the address to listen on.
   *
   * @throws UserError if it does not exist, or is open to other machines and has no secret
   */
  public InetSocketAddress address() {
    InetAddress address;
    try {
      address = InetAddress.getByName(bind);
    } catch (UnknownHostException unknown) {
      throw new UserError(
          "cannot listen on '%s': unknown address; use one of this machine's, such as 127.0.0.1"
              .formatted(bind));
    }
    if (!address.isLoopbackAddress() && secret == null) {
      throw new UserError(
          "%s = '%s' is open to other machines, which needs a secret; set %s, or listen on 127.0.0.1"
              .formatted(keys.bind(), bind, keys.secret()));
    }
    return new InetSocketAddress(address, port);
  }
}
