package dev.ebb.host.cache;

/** On whose account entries were evicted. */
public enum EvictedBy {
  /** Ahead of demand, above the threshold. */
  BACKGROUND,
  /** Somebody waited for the room. */
  DEMAND,
  /** Somebody waited and the policy did not answer: the host chose. */
  FALLBACK
}
