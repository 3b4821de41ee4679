package dev.ebb.host.serve;

import dev.ebb.host.errors.UserError;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Addresses as the configuration gives them. */
final class Addresses {

  private Addresses() {}

  static InetAddress resolve(String bind) {
    try {
      return InetAddress.getByName(bind);
    } catch (UnknownHostException unknown) {
      throw new UserError(
          "cannot listen on '%s': no such address; give one of this machine's, such as 127.0.0.1"
              .formatted(bind));
    }
  }
}
