package dev.ebb.host.cache.stats;

/** The initiator of an eviction. */
public enum EvictedBy {
  /** Ahead of demand, above the threshold. */
  BACKGROUND,
  /** A request waited for the room. */
  DEMAND,
  /** A request waited and the policy did not answer: the host chose. */
  FALLBACK
}
