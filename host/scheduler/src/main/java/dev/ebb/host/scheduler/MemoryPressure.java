package dev.ebb.host.scheduler;

/**
 * The pressure on the KV memory. Counts are since the start.
 *
 * @param requestedAgain requests for blocks that had been evicted shortly before
 * @param occupancy the share of the memory that running requests use, 0 to 1; NaN if unknown
 */
public record MemoryPressure(long evictions, long requestedAgain, double occupancy) {

  /** The pressure on a memory that does not measure it. */
  public static final MemoryPressure UNKNOWN = new MemoryPressure(0, 0, Double.NaN);

  public MemoryPressure {
    if (evictions < 0 || requestedAgain < 0) {
      throw new IllegalArgumentException(
          "evictions '%d' and requestedAgain '%d' must not be negative"
              .formatted(evictions, requestedAgain));
    }
  }
}
