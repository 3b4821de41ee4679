package dev.ebb.host.store;

import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.EvictionLog;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a store is set up.
 *
 * @param partitions the parts of the pool, at least the one that everybody shares, which comes
 *     first
 * @param idle how long a value lives without being used; zero for ever
 * @param pinBudget how much of each part operators may pin, 0 to 1
 * @param seed keys the hash; not to be guessed by clients
 * @param limits when each part's policy, on a thread of its own, evicts ahead of demand, and how
 *     long others wait for it; null if it runs on its callers' threads, and room is made on demand
 * @param logSize how many of the last evictions are remembered, 1 to {@link EvictionLog#MAX_SIZE}
 * @param heapBytes the Java heap beside the pool, of which entries and keys get a part that is
 *     never exceeded; {@code Long.MAX_VALUE} if they are not counted
 */
public record StoreOptions(
    List<PartitionSpec> partitions,
    Duration idle,
    double pinBudget,
    long seed,
    @Nullable EvictionLimits limits,
    int logSize,
    long heapBytes) {

  /** How much may be pinned unless told otherwise. */
  public static final double PIN_BUDGET = 0.2;

  /** How many evictions are remembered unless told otherwise. */
  public static final int LOG_SIZE = 4_096;

  /**
   * The same store, each part's policy on a thread of its own.
   *
   * @param newLimits when it evicts ahead of demand, and how long others wait for it
   * @param newLogSize how many of the last evictions are remembered
   * @return a copy
   */
  public StoreOptions threaded(EvictionLimits newLimits, int newLogSize) {
    return new StoreOptions(partitions, idle, pinBudget, seed, newLimits, newLogSize, heapBytes);
  }

  /**
   * The same store beside a heap that may not be filled.
   *
   * @param newHeapBytes how large the heap can become
   * @return a copy
   */
  public StoreOptions heap(long newHeapBytes) {
    return new StoreOptions(partitions, idle, pinBudget, seed, limits, logSize, newHeapBytes);
  }

  /** Takes a copy of the list. */
  public StoreOptions {
    partitions = List.copyOf(partitions);
    if (partitions.isEmpty() || partitions.getFirst().tenant() != null) {
      throw new IllegalArgumentException("the first partition is to be everybody's");
    }
    if (heapBytes < 1) {
      throw new IllegalArgumentException("heapBytes is '" + heapBytes + "', must be at least 1");
    }
  }

  /**
   * A store whose policies run on their callers' threads.
   *
   * @param partitions as above
   * @param idle as above
   * @param pinBudget as above
   * @param seed as above
   */
  public StoreOptions(List<PartitionSpec> partitions, Duration idle, double pinBudget, long seed) {
    this(partitions, idle, pinBudget, seed, null, LOG_SIZE, Long.MAX_VALUE);
  }

  /**
   * A store of one part.
   *
   * @param bytes how much memory it has, at least 64 KiB
   * @param idle how long a value lives without being used; zero for ever
   * @param seed keys the hash; not to be guessed by clients
   * @return options with the default pin budget and log, whose policy runs on its callers' threads
   */
  public static StoreOptions of(long bytes, Duration idle, long seed) {
    return new StoreOptions(
        List.of(new PartitionSpec(PartitionSpec.DEFAULT, null, bytes)), idle, PIN_BUDGET, seed);
  }
}
