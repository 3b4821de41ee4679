package dev.ebb.host.store;

import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.value.StoredValue;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lookups of keys in a partition, by which engines learn what of a prompt is cached. */
record Lookups(StorePartition partition) {

  /**
   * Returns whether there is a value, which it leases, here or on another node. An engine that
   * finds no attachment does not request the chunk.
   */
  boolean exists(ObjectKey key, @Nullable StoreConnection by, boolean elsewhere) {
    partition.lock.lock();
    try {
      StoredValue main = partition.values.main(key);
      StoredValue value = partition.values.find(key, main);
      boolean chained = lookedUp(by, key, main, value, elsewhere);
      if (value != null) {
        lease(value);
      } else if (!elsewhere && key.isAttachment() && main == null) {
        missed(key, null, !chained);
      }
      return value != null || elsewhere;
    } finally {
      partition.lock.unlock();
    }
  }

  /**
   * As {@link #exists}, but an attachment counts only with the chunk's bytes, and every miss is
   * counted: a client that matches keys requests only those that were found.
   */
  boolean match(ObjectKey key, @Nullable StoreConnection by, boolean elsewhere) {
    partition.lock.lock();
    try {
      StoredValue main = partition.values.main(key);
      StoredValue value = matched(key, main);
      boolean chained = lookedUp(by, key, main, value, elsewhere);
      return (value == null && elsewhere) || leased(value, key, main, !chained);
    } finally {
      partition.lock.unlock();
    }
  }

  /**
   * Starts a request whose client states its keys. Returns how many of the first ones have values,
   * which it leases, or have them on other nodes, and can be used if the model is hybrid.
   */
  int begin(ObservedRequest request, List<ObjectKey> keys, BitSet elsewhere) {
    partition.lock.lock();
    try {
      int found = 0;
      int reached = 0;
      boolean more = true;
      while (more && reached < keys.size()) {
        ObjectKey key = keys.get(reached);
        StoredValue main = partition.values.main(key);
        StoredValue value = matched(key, main);
        more = (value == null && elsewhere.get(reached)) || leased(value, key, main, false);
        found += value != null && found == reached ? 1 : 0;
        reached += more ? 1 : 0;
      }
      partition.chains.begin(request, keys, found, reached);
      return found < reached ? reached : request.usable(reached);
    } finally {
      partition.lock.unlock();
    }
  }

  /** Records a lookup; returns whether it belongs to a request, which is reported as a whole. */
  private boolean lookedUp(
      @Nullable StoreConnection by,
      ObjectKey key,
      @Nullable StoredValue main,
      @Nullable StoredValue value,
      boolean elsewhere) {
    StoredValue chunk = key.isAttachment() ? main : value;
    return partition.chains.lookedUp(
        by, key, chunk == null ? null : chunk.whole(), value != null, elsewhere);
  }

  /** Returns whether a key has no value that a prompt can be continued from. */
  boolean isMissing(ObjectKey key) {
    return partition.place.locked(() -> matched(key, partition.values.main(key)) == null);
  }

  private @Nullable StoredValue matched(ObjectKey key, @Nullable StoredValue main) {
    return key.isAttachment() && main == null ? null : partition.values.find(key, main);
  }

  private boolean leased(
      @Nullable StoredValue value, ObjectKey key, @Nullable StoredValue main, boolean reported) {
    if (value == null) {
      missed(key, main, reported);
      return false;
    }
    lease(value);
    return true;
  }

  private void lease(StoredValue value) {
    if (value.key.labels().isOfFullGroup()) {
      partition.leases.grant(value.whole());
    }
  }

  private void missed(ObjectKey key, @Nullable StoredValue main, boolean reported) {
    countMiss(key, main);
    missedHere(key, main, reported);
  }

  /** Counts a request whose value does not exist, here or elsewhere; the lock is held. */
  void countMiss(ObjectKey key, @Nullable StoredValue main) {
    partition.counters.misses++;
    if (main == null) {
      key.labels().missed();
    }
  }

  /**
   * Reports a miss of memory to policies, and one of no request to access listeners, under the
   * lock.
   */
  void missedHere(ObjectKey key, @Nullable StoredValue main, boolean reported) {
    if (main == null && key.standsForAll()) {
      if (reported) {
        partition.listeners.missed(key.entryLow(), key.labels().facts());
      }
      partition.cache.missed(key.entryLow(), reported);
    }
  }
}
