package dev.ebb.host.cluster.directory;

import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.OptionalJars;
import java.util.ServiceLoader;

/** This node's part of a cluster: the membership and the directory. */
public interface JoinedCluster extends AutoCloseable {

  /** Joins clusters. Found with {@link ServiceLoader}. */
  interface Provider {

    /**
     * Joins the cluster, or starts one if no seed answers.
     *
     * @param self this node, as it describes itself first
     * @throws UserError if the address cannot be used, or the node's name is used by another
     */
    JoinedCluster join(ClusterConfig config, Node self);
  }

  /** The folder beside that of the libraries with what only nodes of a cluster need. */
  String FOLDER = "cluster";

  /**
   * Returns the provider on the class path, or in its folder.
   *
   * @throws UserError if there is none
   */
  static Provider provider() {
    return ServiceLoader.load(Provider.class, OptionalJars.loader(FOLDER))
        .findFirst()
        .orElseThrow(() ->
            new UserError(
                "ebb.cluster.enabled = 'true' needs libraries that are missing: '%s' is not a folder with JARs; unpack the archive of Ebb again, or set ebb.cluster.enabled to false"
                    .formatted(OptionalJars.folder(FOLDER))));
  }

  Membership membership();

  Directory directory();

  /** Leaves the cluster. The other nodes keep the entries of the directory. */
  @Override
  void close();
}
