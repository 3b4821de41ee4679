package dev.ebb.host.store;

import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.key.ChainKeys;
import dev.ebb.host.store.key.TenantPrefix;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a store. Without more, lookups give no leases, no chains are learned, and policies
 * run on their callers' threads. To be set before the store is created.
 */
public final class StoreOptions {

  public static final double PIN_BUDGET = 0.2;

  public static final int LOG_SIZE = 4_096;

  final List<PartitionSpec> partitions;
  final Duration idle;
  final double pinBudget;
  final long seed;
  Duration lookupLease = Duration.ZERO;
  ChainKeys chains = ChainKeys.OFF;
  @Nullable EvictionLimits limits;
  int logSize = LOG_SIZE;
  long heapBytes = Long.MAX_VALUE;
  boolean respectPriority;
  List<TenantPrefix> tenantPrefixes = List.of();
  Map<String, ObjectGroups> models = Map.of();

  /**
   * The first part is the shared one. The idle time is zero for ever, the pin budget a share of
   * each part. Clients must not be able to guess the seed, which keys the hash.
   */
  public StoreOptions(List<PartitionSpec> partitions, Duration idle, double pinBudget, long seed) {
    this.partitions = List.copyOf(partitions);
    this.idle = idle;
    this.pinBudget = pinBudget;
    this.seed = seed;
    if (partitions.isEmpty() || partitions.getFirst().tenant() != null) {
      throw new IllegalArgumentException("the first partition must be the shared one");
    }
  }

  /** Returns options for one part of at least 64 KiB, with the default pin budget and log. */
  public static StoreOptions of(long bytes, Duration idle, long seed) {
    return new StoreOptions(
        List.of(new PartitionSpec(PartitionSpec.DEFAULT, null, bytes)), idle, PIN_BUDGET, seed);
  }

  /** Sets how long a value that a lookup found is kept from eviction; zero for no time. */
  public StoreOptions lookupLease(Duration lease) {
    if (lease.isNegative()) {
      throw new IllegalArgumentException("lookupLease is '" + lease + "', must not be negative");
    }
    lookupLease = lease;
    return this;
  }

  /** Sets which keys are taken for chunks whose chains are learned. */
  public StoreOptions chains(ChainKeys keys) {
    chains = keys;
    return this;
  }

  /** Runs each part's policy on its own thread, and remembers so many of the last evictions. */
  public StoreOptions threaded(EvictionLimits evictionLimits, int evictions) {
    limits = evictionLimits;
    logSize = evictions;
    return this;
  }

  /** Sets the Java heap beside the pool: entries and keys never exceed a part of it. */
  public StoreOptions heap(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException("heapBytes is '" + bytes + "', must be at least 1");
    }
    heapBytes = bytes;
    return this;
  }

  /** Sets whether no request evicts entries of higher priority while others can be evicted. */
  public StoreOptions respectPriority(boolean respects) {
    respectPriority = respects;
    return this;
  }

  /** Sets the object groups of hybrid models, by patterns of names as of {@code SCAN}. */
  public StoreOptions models(Map<String, ObjectGroups> groups) {
    models = Map.copyOf(groups);
    return this;
  }

  /** Sets the keys of tenants with users of their own; no key has prefixes of two tenants. */
  public StoreOptions tenantPrefixes(List<TenantPrefix> prefixes) {
    tenantPrefixes = List.copyOf(prefixes);
    return this;
  }
}
