package dev.ebb.host.kvevents.source;

/**
 * Counts of what engines have published.
 *
 * @param events events with tokens
 * @param rejected batches that are none, and events whose tokens are of no use
 * @param gaps gaps in the numbers of batches, also those that a replay has filled
 */
public record SourceStats(long events, long rejected, long gaps) {

  /** Without sources. */
  public static final SourceStats NONE = new SourceStats(0, 0, 0);
}
