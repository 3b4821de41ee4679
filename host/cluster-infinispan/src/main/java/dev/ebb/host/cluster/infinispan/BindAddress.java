package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.SocketException;

/** The address of this node that the other nodes connect to. */
final class BindAddress {

  private BindAddress() {}

  static InetSocketAddress of(ClusterConfig config) {
    InetSocketAddress address = config.memberAddress();
    if (!isOfThisMachine(address.getAddress())) {
      throw new UserError(
          "ebb.cluster.bind = '%s' is not an address of this machine that other nodes can connect to; set one, or 127.0.0.1 for nodes of this machine only"
              .formatted(config.listen().bind()));
    }
    try (ServerSocket unused = new ServerSocket()) {
      unused.setReuseAddress(true);
      unused.bind(address);
    } catch (IOException used) {
      throw new UserError(
          "cannot listen on '%s:%d' (%s); set ebb.cluster.port to a free port, or stop the process that uses it"
              .formatted(config.listen().bind(), config.listen().port(), used.getMessage()));
    }
    return address;
  }

  private static boolean isOfThisMachine(InetAddress address) {
    try {
      return !address.isAnyLocalAddress()
          && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null);
    } catch (SocketException unknown) {
      return true;
    }
  }
}
