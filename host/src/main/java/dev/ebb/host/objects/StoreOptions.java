package dev.ebb.host.objects;

import java.time.Duration;
import java.util.List;

/**
 * How a store is set up.
 *
 * @param partitions the parts of the pool, at least the one that everybody shares, which comes
 *     first
 * @param idle how long a value lives without being used; zero for ever
 * @param pinBudget how much of each part operators may pin, 0 to 1
 * @param seed keys the hash; not to be guessed by clients
 */
public record StoreOptions(
    List<PartitionSpec> partitions, Duration idle, double pinBudget, long seed) {

  /** How much may be pinned unless told otherwise. */
  public static final double PIN_BUDGET = 0.2;

  /** Takes a copy of the list. */
  public StoreOptions {
    partitions = List.copyOf(partitions);
    if (partitions.isEmpty() || partitions.getFirst().tenant() != null) {
      throw new IllegalArgumentException("the first partition is to be everybody's");
    }
  }

  /**
   * A store of one part.
   *
   * @param bytes how much memory it has, at least 64 KiB
   * @param idle how long a value lives without being used; zero for ever
   * @param seed keys the hash; not to be guessed by clients
   * @return options with the default pin budget
   */
  public static StoreOptions of(long bytes, Duration idle, long seed) {
    return new StoreOptions(
        List.of(new PartitionSpec(PartitionSpec.DEFAULT, null, bytes)), idle, PIN_BUDGET, seed);
  }
}
