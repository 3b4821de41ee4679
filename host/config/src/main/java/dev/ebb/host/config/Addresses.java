package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Resolves the addresses of the configuration. */
public final class Addresses {

  private Addresses() {}

  /**
   * Returns the address to listen on.
   *
   * @param bind a name or an address of this machine
   * @throws UserError if it does not exist
   */
  public static InetAddress resolve(String bind) {
    try {
      return InetAddress.getByName(bind);
    } catch (UnknownHostException unknown) {
      throw new UserError(
          "cannot listen on '%s': unknown address; use one of this machine's, such as 127.0.0.1"
              .formatted(bind));
    }
  }
}
