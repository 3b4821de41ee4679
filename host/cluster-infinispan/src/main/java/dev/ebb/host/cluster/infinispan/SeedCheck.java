package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.config.key.HostPort;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds a seed that runs, before this node joins, and whether it accepted this node, after. */
final class SeedCheck {

  private static final Logger LOG = LoggerFactory.getLogger(SeedCheck.class);
  private static final int CONNECT_MILLIS = 500;

  /** Nodes that started at the same time find each other later than others. */
  private static final int ACCEPT_SECONDS = 12;

  private SeedCheck() {}

  /** Returns a seed, other than this node, that listens. */
  static Optional<HostPort> running(ClusterConfig config, InetSocketAddress self) {
    Optional<HostPort> running =
        config.seeds().parallelStream()
            .filter(seed -> isOther(seed, self) && listens(seed))
            .findAny();
    if (running.isEmpty() && !config.seeds().isEmpty()) {
      LOG.warn(
          "no seed of ebb.cluster.seeds = {} answers: this node starts the cluster '{}', which"
              + " others can join",
          config.seeds(),
          config.name());
    }
    return running;
  }

  /** Returns when this node is not alone; fails if the seed does not accept it. */
  static void awaitAccepted(HostPort seed, IntSupplier members) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ACCEPT_SECONDS);
    while (members.getAsInt() < 2) {
      if (System.nanoTime() > end) {
        throw new UserError(
            "the seed '%s' does not accept this node; set the same ebb.cluster.name and ebb.cluster.secret on all nodes, certificates that all of them trust if ebb.cluster.tls has any, and run the same version of Ebb"
                .formatted(seed));
      }
      InfinispanMembership.pause();
    }
  }

  private static boolean isOther(HostPort seed, InetSocketAddress self) {
    return !new InetSocketAddress(seed.host(), seed.port()).equals(self);
  }

  private static boolean listens(HostPort seed) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(seed.host(), seed.port()), CONNECT_MILLIS);
      return true;
    } catch (IOException unreachable) {
      return false;
    }
  }
}
