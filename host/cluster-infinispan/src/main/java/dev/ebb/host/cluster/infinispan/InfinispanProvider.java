package dev.ebb.host.cluster.infinispan;

import dev.ebb.host.cluster.directory.JoinedCluster;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.config.server.ClusterConfig;

/** Joins clusters with Infinispan, which looks for its own parts with the loader of the thread. */
public final class InfinispanProvider implements JoinedCluster.Provider {

  @Override
  public JoinedCluster join(ClusterConfig config, Node self) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(InfinispanProvider.class.getClassLoader());
    try {
      return InfinispanCluster.start(config, self);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
