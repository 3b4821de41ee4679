package dev.ebb.host.store;

import dev.ebb.host.cache.Explanation;
import dev.ebb.host.errors.UserError;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** What those who run a store see of it and do with it, while clients use it. */
public interface StoreOperations {

  /**
   * Looks at an entry, which does not count as a use.
   *
   * @param key its key
   * @return what is known of it; empty if there is no such key
   */
  Optional<EntryView> find(byte[] key);

  /**
   * Why an entry stands where it stands, in the words of the active policy.
   *
   * @param key its key
   * @return what the policy says; empty if there is no such key, or the policy does not answer
   */
  Optional<Explanation> explain(byte[] key);

  /**
   * Keeps an entry from being evicted and from ending for want of use, until the pin ends. A time
   * to live of its own, and a client's word, go before pins.
   *
   * @param key the entry's key
   * @param owner who says so; an owner who has pinned it already gives the pin a new end
   * @param life how long; zero for ever
   * @return false if there is no such key
   * @throws UserError if the pin budget does not hold it
   */
  boolean pin(byte[] key, String owner, Duration life);

  /**
   * Takes pins back.
   *
   * @param key the entry's key
   * @param owner whose; null for all
   * @return whether there were any
   */
  boolean unpin(byte[] key, @Nullable String owner);

  /**
   * Every pin.
   *
   * @return oldest first within each part
   */
  List<Pin> pins();

  /**
   * Frees room, where most is used first.
   *
   * @param bytes how much, at least 1
   * @return what came of it
   */
  EvictionResult evictBytes(long bytes);

  /**
   * Evicts entries, where most is used first.
   *
   * @param entries how many, at least 1
   * @return what came of it
   */
  EvictionResult evictEntries(long entries);

  /**
   * Evicts until every part is filled to a share at most.
   *
   * @param share 0 to 1
   * @return what came of it
   */
  EvictionResult evictTo(double share);

  /**
   * Evicts one entry.
   *
   * @param key its key
   * @return what came of it
   */
  EvictionResult evict(byte[] key);

  /**
   * What each tenant makes of the store, as far as keys say.
   *
   * @return sorted by name; beyond 1,024 names the rest together
   */
  List<UseStats> tenants();

  /**
   * What each model makes of the store, as far as keys say.
   *
   * @return sorted by name; beyond 1,024 names the rest together
   */
  List<UseStats> models();

  /**
   * How alike tenants are served: Jain's index over their hit ratios.
   *
   * @return 0 to 1; empty as long as no tenant is known, or none has a hit
   */
  OptionalDouble fairness();

  /**
   * The store in numbers.
   *
   * @return as of now, one part after the other
   */
  StoreStats stats();

  /**
   * Its parts in numbers.
   *
   * @return the part that everybody shares first
   */
  List<PartitionStats> partitions();

  /**
   * The memory of its parts in numbers.
   *
   * @return in the order of {@link #partitions}
   */
  List<MemoryMap.Summary> memory();

  /**
   * What the memory of its parts is used for, block by block. Each part is locked meanwhile.
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
   * Changes how much operators may pin. What is pinned beyond a smaller budget stays pinned.
   *
   * @param share of each part, 0 to 1
   */
  void pinBudget(double share);
}
