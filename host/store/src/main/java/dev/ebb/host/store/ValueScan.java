package dev.ebb.host.store;

import dev.ebb.host.cache.PolicyPlace;
import dev.ebb.host.store.chain.ChunksByUse;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.store.value.StoredValue;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Visits the values of a partition, a slice at a time, so that its lock is never held for long. */
final class ValueScan {

  private static final int SLICE = 1 << 10;

  /** How many slots a scan reads at a time. */
  private static final int SCAN_SLICE = 16;

  /** A page of a scan ends behind so many bytes of keys, or after this time. */
  private static final long SCAN_BYTES = 1 << 20;

  private static final long SCAN_NANOS = 10_000_000;

  private final PolicyPlace place;
  private final ValueTable values;

  ValueScan(PolicyPlace place, ValueTable values) {
    this.place = place;
    this.values = values;
  }

  /** Runs an action with every value that exists when it starts, a slice at a time. */
  void each(Consumer<StoredValue> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      more = place.locked(() -> values.each(start, SLICE, action));
    }
  }

  /** Passes the main keys of all values, a slice at a time, without the lock. */
  void eachMainKey(Consumer<byte[]> action) {
    boolean more = true;
    for (int from = 0; more; from += SLICE) {
      int start = from;
      List<byte[]> keys = new ArrayList<>();
      more = place.locked(() -> values.each(start, SLICE, value -> listMainKeys(value, keys)));
      keys.forEach(action);
    }
  }

  List<byte[]> mainKeysByUse() {
    ChunksByUse chunks = new ChunksByUse();
    each(value -> {
      if (!values.expired(value)) {
        chunks.add(value);
      }
    });
    return chunks.keys();
  }

  /**
   * Lists keys from a slot on; returns the next slot, or -1 at the end. The keys are tested without
   * the lock, and not for longer than other clients of the same event loop should wait.
   */
  long keys(long from, int steps, Predicate<byte[]> wanted, List<byte[]> keys) {
    int start = (int) Math.min(from, Integer.MAX_VALUE - steps);
    int end = start + steps;
    long begun = System.nanoTime();
    long bytes = 0;
    boolean more = true;
    while (more && start < end && bytes < SCAN_BYTES && System.nanoTime() - begun < SCAN_NANOS) {
      int first = start;
      int count = Math.min(SCAN_SLICE, end - first);
      List<byte[]> found = new ArrayList<>();
      more = place.locked(() -> values.each(first, count, value -> list(value, found)));
      for (byte[] key : found) {
        if (wanted.test(key)) {
          keys.add(key);
          bytes += key.length;
        }
      }
      start += count;
    }
    return more ? start : -1;
  }

  /** Adds the unexpired keys of a value, its shards and attachments to a list. */
  private void list(StoredValue value, List<byte[]> keys) {
    boolean expired = values.expired(value);
    if (!expired && !value.isWithdrawn()) {
      keys.add(value.key.bytes());
    }
    if (!expired && value.attachment() != null) {
      list(value.attachment(), keys);
    }
    for (StoredValue shard : value.shards()) {
      list(shard, keys);
    }
  }

  /** Adds the main keys of an unexpired value and its shards to a list. */
  private void listMainKeys(StoredValue value, List<byte[]> keys) {
    if (!values.expired(value) && !value.isWithdrawn()) {
      keys.add(ChunkKeys.mainKey(value.key.bytes()));
    }
    for (StoredValue shard : value.shards()) {
      listMainKeys(shard, keys);
    }
  }
}
