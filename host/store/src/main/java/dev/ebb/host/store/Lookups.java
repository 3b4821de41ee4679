package dev.ebb.host.store;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lookups of keys in a partition, by which engines learn what of a prompt is cached. */
final class Lookups {

  private final StorePartition partition;

  Lookups(StorePartition partition) {
    this.partition = partition;
  }

  /**
   * Returns whether there is a value, which it leases. An engine that finds no attachment does not
   * request the chunk.
   *
   * @param elsewhere whether another node has one if this one does not: it will be requested
   */
  boolean exists(
      ObjectKey key, LabelTable labels, @Nullable StoreConnection by, boolean elsewhere) {
    partition.lock.lock();
    try {
      StoredValue value = partition.values.find(key);
      boolean chained = lookedUp(key, labels, by, value != null, elsewhere);
      if (value != null) {
        partition.leases.grant(value.whole());
      } else if (!elsewhere
          && key.role() == KeyRole.ATTACHMENT
          && partition.values.main(key) == null) {
        missed(key, labels, !chained);
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
  boolean match(ObjectKey key, LabelTable labels, @Nullable StoreConnection by, boolean elsewhere) {
    partition.lock.lock();
    try {
      StoredValue value = matched(key);
      boolean chained = lookedUp(key, labels, by, value != null, elsewhere);
      return (value == null && elsewhere) || leased(value, key, labels, !chained);
    } finally {
      partition.lock.unlock();
    }
  }

  /**
   * Starts a request whose client states its keys.
   *
   * @param elsewhere the indexes of keys that are missing here and have values on other nodes
   * @return how many of the first keys have values; those that are here it leases
   */
  int begin(ObservedRequest request, List<ObjectKey> keys, LabelTable labels, BitSet elsewhere) {
    partition.lock.lock();
    try {
      int found = 0;
      int reached = 0;
      boolean more = true;
      while (more && reached < keys.size()) {
        ObjectKey key = keys.get(reached);
        StoredValue value = matched(key);
        more = (value == null && elsewhere.get(reached)) || leased(value, key, labels, false);
        found += value != null && found == reached ? 1 : 0;
        reached += more ? 1 : 0;
      }
      partition.chains.begin(request, keys, found, reached);
      return reached;
    } finally {
      partition.lock.unlock();
    }
  }

  /** Records a lookup; returns whether it belongs to a request, which is reported as a whole. */
  private boolean lookedUp(
      ObjectKey key,
      LabelTable labels,
      @Nullable StoreConnection by,
      boolean found,
      boolean elsewhere) {
    if (by == null || by.states() || !partition.chains.covers(key)) {
      return false;
    }
    if (stands(key, labels)) {
      partition.chains.lookedUp(partition, by, key, labels, found, elsewhere);
      return !partition.chains.mixesPrompts(by);
    }
    if (labels.of(key.bytes()).tiled()) {
      partition.chains.passed(partition, by);
      return false;
    }
    by.missed = found || elsewhere ? by.missed : key.entryLow();
    return false;
  }

  private static boolean stands(ObjectKey key, LabelTable labels) {
    return !key.sharded() || labels.of(key.bytes()).standsFor(key);
  }

  /** Returns whether a key has no value that a prompt can be continued from. */
  boolean isMissing(ObjectKey key) {
    return partition.place.locked(() -> matched(key) == null);
  }

  private @Nullable StoredValue matched(ObjectKey key) {
    StoredValue value = partition.values.find(key);
    boolean half = key.role() == KeyRole.ATTACHMENT && partition.values.main(key) == null;
    return half ? null : value;
  }

  private boolean leased(
      @Nullable StoredValue value, ObjectKey key, LabelTable labels, boolean reported) {
    if (value == null) {
      missed(key, labels, reported);
      return false;
    }
    partition.leases.grant(value.whole());
    return true;
  }

  /**
   * Counts a miss; the lock is held.
   *
   * @param reported whether access listeners receive it as that of an object, of no request
   */
  void missed(ObjectKey key, LabelTable labels, boolean reported) {
    partition.counters.misses++;
    if (partition.values.main(key) == null) {
      KeyLabels of = labels.of(key.bytes());
      of.missed();
      if (stands(key, labels)) {
        if (reported) {
          partition.listeners.missed(key.entryLow(), of.facts());
        }
        partition.cache.missed(key.entryLow(), reported);
      }
    }
  }
}
