package dev.ebb.host.store;

import dev.ebb.host.cache.Explanation;
import dev.ebb.host.errors.UserError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The operators' view of a store, and their operations, while clients use it. */
public interface StoreOperations {

  /**
   * Finds an entry, which does not count as a use.
   *
   * @return its state; empty if there is no such key
   */
  Optional<EntryView> find(byte[] key);

  /**
   * Returns the active policy's explanation of an entry.
   *
   * @return the explanation; empty if there is no such key, or the policy does not answer
   */
  Optional<Explanation> explain(byte[] key);

  /**
   * Protects an entry from eviction and from expiry by idleness, until the pin ends. A time to live
   * of its own, and a client's deletion, take precedence over pins.
   *
   * @param owner the owner; an existing pin of the owner gets a new end
   * @param life how long; zero for ever
   * @return false if there is no such key
   * @throws UserError if the pin budget is too small
   */
  boolean pin(byte[] key, String owner, Duration life);

  /**
   * Removes pins.
   *
   * @param key the entry's key
   * @param owner their owner; null for all
   * @return whether there were any
   */
  boolean unpin(byte[] key, @Nullable String owner);

  /**
   * Returns every pin.
   *
   * @return oldest first within each part
   */
  List<Pin> pins();

  /**
   * Frees bytes, first in the fullest part.
   *
   * @param bytes at least 1
   */
  EvictionResult evictBytes(long bytes);

  /**
   * Evicts entries, first in the fullest part.
   *
   * @param entries how many, at least 1
   */
  EvictionResult evictEntries(long entries);

  /**
   * Evicts until no part is filled beyond a share.
   *
   * @param share 0 to 1
   */
  EvictionResult evictTo(double share);

  /** Evicts one entry. */
  EvictionResult evict(byte[] key);

  /**
   * Returns the use by each tenant, as far as keys name them.
   *
   * @return sorted by name; names beyond 1,024 together
   */
  List<UseStats> tenants();

  /**
   * Returns the use by each model, as far as keys name them.
   *
   * @return sorted by name; names beyond 1,024 together
   */
  List<UseStats> models();

  /**
   * Returns the fairness: Jain's index over the tenants' hit ratios.
   *
   * @return 0 to 1; empty as long as no tenant is known, or none has a hit
   */
  OptionalDouble fairness();

  /** Returns the store's statistics, collected one part after the other. */
  StoreStats stats();

  /** Returns the parts' statistics, the shared part first. */
  List<PartitionStats> partitions();

  /**
   * Returns the memory of its parts.
   *
   * @return in the order of {@link #partitions}
   */
  List<MemoryMap.Summary> memory();

  /**
   * Returns the use of each block of its parts. Each part is locked meanwhile.
   *
   * @return in the order of {@link #partitions}
   */
  List<MemoryMap> maps();

  /**
   * Changes how long values live without being used.
   *
   * @param idle zero for ever
   */
  void idle(Duration idle);

  /**
   * Changes the share of each part that operators may pin. Existing pins beyond a smaller budget
   * stay.
   *
   * @param share of each part, 0 to 1
   */
  void pinBudget(double share);
}
