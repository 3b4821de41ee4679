package dev.ebb.host.config;

/** What a client hears whose value finds no room. */
public enum OnFullChoice {
  /** That all is well, as if the value had been evicted at once. */
  DROP,
  /** An error. */
  ERROR
}
