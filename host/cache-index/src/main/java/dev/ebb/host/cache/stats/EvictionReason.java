package dev.ebb.host.cache.stats;

/** Why something was evicted, or removed otherwise. */
public enum EvictionReason {
  /** The policy has chosen the entry, or it expired. */
  CHOSEN,
  /** An object of a chunk of a hybrid model that few prompts can need. The chunk stays. */
  THINNED,
  /** A chunk of a hybrid model at which no prompt can go on, with no chunks behind it. */
  UNUSABLE
}
