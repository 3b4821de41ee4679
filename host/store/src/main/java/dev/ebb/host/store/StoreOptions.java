package dev.ebb.host.store;

import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.EvictionLog;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.TenantPrefix;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of a store.
 *
 * @param partitions the parts of the pool, first the shared one
 * @param idle how long a value lives without being used; zero for ever
 * @param pinBudget the share of each part that operators may pin, 0 to 1
 * @param lookupLease how long a value that a lookup found is kept from eviction; zero for no time
 * @param chains which keys are taken for chunks whose chains are learned
 * @param seed keys the hash; not to be guessed by clients
 * @param limits when each part's policy evicts ahead of demand, and how long requests wait for it;
 *     null if it runs on its callers' threads
 * @param logSize how many of the last evictions are remembered, 1 to {@link EvictionLog#MAX_SIZE}
 * @param heapBytes the Java heap beside the pool; entries and keys never exceed a part of it;
 *     {@code Long.MAX_VALUE} if they are not counted
 * @param respectPriority whether no request evicts entries of higher priority while others can be
 *     evicted
 * @param tenantPrefixes the keys of tenants with users of their own; no key has prefixes of two
 *     tenants
 */
public record StoreOptions(
    List<PartitionSpec> partitions,
    Duration idle,
    double pinBudget,
    Duration lookupLease,
    ChainKeys chains,
    long seed,
    @Nullable EvictionLimits limits,
    int logSize,
    long heapBytes,
    boolean respectPriority,
    List<TenantPrefix> tenantPrefixes) {

  /** The default pin budget. */
  public static final double PIN_BUDGET = 0.2;

  /** The default size of the eviction log. */
  public static final int LOG_SIZE = 4_096;

  /**
   * Returns the same with each part's policy on a thread of its own.
   *
   * @param newLimits when it evicts ahead of demand, and how long requests wait for it
   * @param newLogSize how many of the last evictions are remembered
   * @return a copy
   */
  public StoreOptions threaded(EvictionLimits newLimits, int newLogSize) {
    return new StoreOptions(
        partitions,
        idle,
        pinBudget,
        lookupLease,
        chains,
        seed,
        newLimits,
        newLogSize,
        heapBytes,
        respectPriority,
        tenantPrefixes);
  }

  /**
   * Returns the same with a limited heap.
   *
   * @param newHeapBytes the maximum size of the heap
   * @return a copy
   */
  public StoreOptions heap(long newHeapBytes) {
    return new StoreOptions(
        partitions,
        idle,
        pinBudget,
        lookupLease,
        chains,
        seed,
        limits,
        logSize,
        newHeapBytes,
        respectPriority,
        tenantPrefixes);
  }

  /**
   * Returns the same, with respect for priorities or without.
   *
   * @param respects whether no request evicts entries of higher priority while others can be
   *     evicted
   * @return a copy
   */
  public StoreOptions respectPriority(boolean respects) {
    return new StoreOptions(
        partitions,
        idle,
        pinBudget,
        lookupLease,
        chains,
        seed,
        limits,
        logSize,
        heapBytes,
        respects,
        tenantPrefixes);
  }

  /**
   * Returns the same with leases for lookups.
   *
   * @param newLookupLease how long they last; zero for none
   * @return a copy
   */
  public StoreOptions lookupLease(Duration newLookupLease) {
    return new StoreOptions(
        partitions,
        idle,
        pinBudget,
        newLookupLease,
        chains,
        seed,
        limits,
        logSize,
        heapBytes,
        respectPriority,
        tenantPrefixes);
  }

  /**
   * Returns the same with chains.
   *
   * @param newChains which keys are taken for chunks whose chains are learned
   * @return a copy
   */
  public StoreOptions chains(ChainKeys newChains) {
    return new StoreOptions(
        partitions,
        idle,
        pinBudget,
        lookupLease,
        newChains,
        seed,
        limits,
        logSize,
        heapBytes,
        respectPriority,
        tenantPrefixes);
  }

  /**
   * Returns the same with tenants that have keys of their own.
   *
   * @param newPrefixes the first characters of these keys
   * @return a copy
   */
  public StoreOptions tenantPrefixes(List<TenantPrefix> newPrefixes) {
    return new StoreOptions(
        partitions,
        idle,
        pinBudget,
        lookupLease,
        chains,
        seed,
        limits,
        logSize,
        heapBytes,
        respectPriority,
        newPrefixes);
  }

  public StoreOptions {
    partitions = List.copyOf(partitions);
    tenantPrefixes = List.copyOf(tenantPrefixes);
    if (partitions.isEmpty() || partitions.getFirst().tenant() != null) {
      throw new IllegalArgumentException("the first partition must be the shared one");
    }
    if (lookupLease.isNegative()) {
      throw new IllegalArgumentException(
          "lookupLease is '" + lookupLease + "', must not be negative");
    }
    if (heapBytes < 1) {
      throw new IllegalArgumentException("heapBytes is '" + heapBytes + "', must be at least 1");
    }
  }

  /** Creates options without leases, whose policies run on their callers' threads. */
  public StoreOptions(List<PartitionSpec> partitions, Duration idle, double pinBudget, long seed) {
    this(
        partitions,
        idle,
        pinBudget,
        Duration.ZERO,
        ChainKeys.OFF,
        seed,
        null,
        LOG_SIZE,
        Long.MAX_VALUE,
        false,
        List.of());
  }

  /**
   * Returns options for one part.
   *
   * @param bytes its memory, at least 64 KiB
   * @param idle how long a value lives without being used; zero for ever
   * @param seed keys the hash; not to be guessed by clients
   * @return options with the default pin budget and log, whose policy runs on its callers' threads
   */
  public static StoreOptions of(long bytes, Duration idle, long seed) {
    return new StoreOptions(
        List.of(new PartitionSpec(PartitionSpec.DEFAULT, null, bytes)), idle, PIN_BUDGET, seed);
  }
}
