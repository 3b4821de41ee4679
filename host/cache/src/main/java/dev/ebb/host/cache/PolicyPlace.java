package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyState;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A part of a cache that has an instance of the policy of its own: a tenant's partition, or the
 * pool of one device. Thread-safe.
 */
public final class PolicyPlace {

  private static final int SLICE = 1 << 10;

  private final String name;
  private final ReentrantLock lock;
  private final BlockCache cache;
  private final AccessListeners listeners;
  private final long blockBytes;

  /**
   * Creates a place.
   *
   * @param lock guards the cache and the listeners; several places may share one
   * @param blockBytes pool memory of a block of the cache
   */
  public PolicyPlace(
      String name,
      ReentrantLock lock,
      BlockCache cache,
      AccessListeners listeners,
      long blockBytes) {
    this.name = requireNonNull(name, "name is null");
    this.lock = requireNonNull(lock, "lock is null");
    this.cache = requireNonNull(cache, "cache is null");
    this.listeners = requireNonNull(listeners, "listeners is null");
    this.blockBytes = blockBytes;
  }

  public String name() {
    return name;
  }

  public long capacityBlocks() {
    return locked(cache::capacityBlocks);
  }

  /** Returns the pool memory of a block of the cache, in bytes. */
  public long blockBytes() {
    return blockBytes;
  }

  public long capacityBytes() {
    return capacityBlocks() * blockBytes;
  }

  /** Returns whether requests evict entries of higher priority only if there are no others. */
  public boolean respectsPriority() {
    return cache.respectsPriority();
  }

  public long residentBlocks() {
    return locked(cache::residentBlocks);
  }

  public int residentEntries() {
    return locked(cache::residentEntries);
  }

  /** Returns the name of the active policy, which is the built-in one after a fault. */
  public String policy() {
    return locked(cache::policyName);
  }

  public Map<String, Double> policyGauges() {
    return locked(cache::policyGauges);
  }

  /** Asks the active policy what it has learned; null if there is nothing, or no answer. */
  public @Nullable PolicyState policyState() {
    return locked(cache::policyState);
  }

  /** Runs a quick action under the part's lock, while no listener is called. */
  public <T> T locked(Supplier<T> action) {
    lock.lock();
    try {
      return action.get();
    } finally {
      lock.unlock();
    }
  }

  public void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  /** Adds a listener, which is called under the part's lock from now on. */
  public void add(AccessListener listener) {
    locked(() -> listeners.add(listener));
  }

  public void remove(AccessListener listener) {
    locked(() -> listeners.remove(listener));
  }

  /**
   * Reports every entry that is resident when it begins, and perhaps others, in any order. The
   * consumer is quick, and called under the part's lock, which is released now and then.
   */
  public void residents(Consumer<CacheEntry> consumer) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      more = locked(() -> slice(start, consumer));
    }
  }

  /** Returns how often the active policy decided on admission; null if it admits all. */
  @Nullable AdmissionUse admission() {
    return locked(cache::admission);
  }

  @Nullable String check(Function<CacheState, @Nullable String> check) {
    return locked(() -> check.apply(cache.state()));
  }

  private boolean slice(int from, Consumer<CacheEntry> consumer) {
    for (int slot = from; slot < from + SLICE; slot++) {
      CacheEntry entry = cache.at(slot);
      if (entry != null && entry.announced) {
        consumer.accept(entry);
      }
    }
    return from + SLICE < cache.slots().used();
  }

  PendingSwitch begin(PolicyCandidate candidate) {
    return cache.begin(candidate);
  }
}
