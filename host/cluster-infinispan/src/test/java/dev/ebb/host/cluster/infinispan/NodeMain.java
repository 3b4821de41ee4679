package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.config.ConfigLoader;
import dev.ebb.host.config.server.ClusterConfig;
import java.io.IOException;
import java.nio.file.Path;

/** A node in a process of its own, until its standard input ends. */
final class NodeMain {

  private NodeMain() {}

  /** Arguments: the folder with the node's configuration, and its name. */
  public static void main(String[] args) throws IOException {
    Path home = Path.of(args[0]);
    ClusterConfig config =
        new ConfigLoader(home, home).load(home.resolve("ebb.conf")).orThrow().cluster();
    try (InfinispanCluster node = InfinispanCluster.start(config, Nodes.node(args[1]))) {
      System.out.println("joined " + node.membership().self().name());
      while (System.in.read() >= 0) {
        // Runs until then.
      }
    }
  }
}
