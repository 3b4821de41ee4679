package dev.ebb.host.cluster.placement;

/**
 * The settings of a cluster's copies, the same on all nodes.
 *
 * @param replicas how many copies of a value there are beside its primary one
 * @param keepReplicas whether a replica of an evicted value becomes its primary copy; otherwise the
 *     replicas are dropped
 */
public record CopySettings(int replicas, boolean keepReplicas) {

  public CopySettings {
    if (replicas < 0) {
      throw new IllegalArgumentException("replicas '%d' is negative".formatted(replicas));
    }
  }

  int copies() {
    return replicas + 1;
  }
}
