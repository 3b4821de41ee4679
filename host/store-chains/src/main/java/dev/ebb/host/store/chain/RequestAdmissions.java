package dev.ebb.host.store.chain;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.UndecidedBlocks;
import it.unimi.dsi.fastutil.longs.LongArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lets the policy decide on what running requests store, before it receives the requests. Guarded
 * by the partition's lock.
 */
record RequestAdmissions(Chains chains) {

  void decideOn(ChainedValue value, ObservedRequest by) {
    UndecidedBlocks undecided = by.undecided;
    if (undecided == null) {
      undecided = new UndecidedBlocks(() -> known(by), index -> remove(by, index));
      by.undecided = undecided;
    }
    chains.cache.decideOn(
        requireNonNull(value.entry), undecided, by.storing(value.key.low(), value.key.high()));
  }

  /** Returns whether a value that a request stores is rejected, or one before it. */
  boolean rejects(ChainedValue value, ObservedRequest by) {
    UndecidedBlocks undecided = by.undecided;
    if (undecided == null || !undecided.isRejected(by.storing(value.key.low(), value.key.high()))) {
      return false;
    }
    rejected(value, by);
    return true;
  }

  private void rejected(ChainedValue value, ObservedRequest by) {
    by.rejected++;
    chains.missedKeys.rejected(value.key, by);
  }

  /** Returns what is known of a running request; the same object until more is known. */
  private static CacheRequest known(ObservedRequest by) {
    CacheRequest before = by.known;
    int blocks = by.size() + by.stored.size() / 2;
    if (before != null
        && before.blocks() == blocks
        && before.matched() == by.found
        && before.facts().equals(by.facts)) {
      return before;
    }
    LongArrayList keys = new LongArrayList(by.keys);
    keys.addAll(by.stored);
    int[] weights = new int[blocks];
    Arrays.fill(weights, 1);
    CacheRequest known = CacheRequest.report(by.facts, keys.toLongArray(), weights, by.found);
    by.known = known;
    return known;
  }

  /** Removes what a request has stored from a place on; returns the weight. */
  private long remove(ObservedRequest by, int from) {
    long removed = 0;
    for (ChainedValue value : List.copyOf(by.made).reversed()) {
      if (by.placeOf(value.key.low()) >= from) {
        int weight = value.weight();
        if (chains.cache.discard(requireNonNull(value.entry))) {
          value.request = null;
          by.made.remove(value);
          rejected(value, by);
          chains.unpublishedUnits -= weight;
          removed += weight;
        }
      }
    }
    return removed;
  }
}
