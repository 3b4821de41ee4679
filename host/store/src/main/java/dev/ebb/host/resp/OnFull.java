package dev.ebb.host.resp;

/** What a client hears whose value finds no room. */
public enum OnFull {
  /** {@code +OK}, as if it had been evicted at once: what clients of a cache must reckon with. */
  DROP,
  /** {@code -OOM}. */
  ERROR
}
