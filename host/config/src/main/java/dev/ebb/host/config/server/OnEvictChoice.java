package dev.ebb.host.config.server;

/** What happens to the replicas of an evicted value. */
public enum OnEvictChoice {
  /** They are removed. */
  DROP,
  /** One of them becomes the primary copy. */
  KEEP_REPLICA
}
