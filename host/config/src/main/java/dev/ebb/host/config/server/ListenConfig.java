package dev.ebb.host.config.server;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.ValueType;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.tls.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

public record ListenConfig(
    Keys keys, String bind, int port, @Nullable String secret, @Nullable TlsFiles tls) {

  record Keys(
      ConfigKey<String> bind,
      ConfigKey<Integer> port,
      ConfigKey<String> secret,
      @Nullable TlsKeys tls) {

    /** Adds the keys of a server to a section. */
    static Keys of(String section, String secret, boolean withTls) {
      String path = section + ".";
      return new Keys(
          ConfigKey.fixed(path + "bind", ValueType.TEXT),
          ConfigKey.fixed(path + "port", ValueType.integer(withTls ? 0 : 1, 65_535)),
          ConfigKey.fixed(path + secret, ValueType.SECRET),
          withTls ? TlsKeys.of(section, "client-ca", false) : null);
    }

    ConfigKey<?>[] all() {
      return Stream.concat(
              Stream.of(bind, port, secret),
              Stream.ofNullable(tls).flatMap(each -> Stream.of(each.all())))
          .toArray(ConfigKey[]::new);
    }

    ListenConfig read(ConfigReader reader) {
      return new ListenConfig(
          this,
          reader.get(bind),
          reader.get(port),
          reader.secret(secret),
          tls == null ? null : tls.read(reader));
    }
  }

  /**
   * Returns the address to listen on.
   *
   * @throws UserError if it does not exist, or is open to other machines and has no secret
   */
  public InetSocketAddress address() {
    return address(secret != null, "");
  }

  /**
   * Returns the address to listen on.
   *
   * @param authenticated whether only those with a secret or a certificate can connect
   * @throws UserError if it does not exist, or is open to other machines without authentication
   */
  InetSocketAddress address(boolean authenticated, String users) {
    InetAddress address;
    try {
      address = InetAddress.getByName(bind);
    } catch (UnknownHostException unknown) {
      throw new UserError(
          "cannot listen on '%s': unknown address; use one of this machine's, such as 127.0.0.1"
              .formatted(bind));
    }
    if (!address.isLoopbackAddress() && !authenticated) {
      throw new UserError(
          "%s = '%s' is open to other machines, which needs a secret; set %s%s, or listen on 127.0.0.1"
              .formatted(keys.bind(), bind, keys.secret(), users));
    }
    return new InetSocketAddress(address, port);
  }
}
