package dev.ebb.host.config;

import dev.ebb.host.errors.UserError;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses as the configuration gives them. */
public final class Addresses {

  private Addresses() {}

  /**
   * The address to listen on.
   *
   * @param bind a name or an address of this machine
   * @return its address
   * @throws UserError if there is none
   */
  public static InetAddress resolve(String bind) {
    try {
      return InetAddress.getByName(bind);
    } catch (UnknownHostException unknown) {
      throw new UserError(
          "cannot listen on '%s': no such address; give one of this machine's, such as 127.0.0.1"
              .formatted(bind));
    }
  }
}
