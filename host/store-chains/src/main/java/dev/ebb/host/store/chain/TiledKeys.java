package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.tile.LookupBatch;
import dev.ebb.host.store.tile.TileOrder;
import dev.ebb.host.store.tile.TiledPrompt;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;

/**
 * The keys of a request whose client looked all of them up at once. The client stores the missing
 * ones in tiles that are cut elsewhere, which shows more of their order. Guarded by the partition's
 * lock.
 */
final class TiledKeys {

  private final TiledLookups tiled;
  private final LookupBatch lookups;
  private final KeyLabels labels;
  private final ChainClient client;
  private final LookupBatch reads;
  private final LookupBatch stores;
  private TiledPrompt prompt;

  /** The keys at which tiles start, with the keys that were assumed to be before them. */
  private final Long2LongOpenHashMap assumed = new Long2LongOpenHashMap();

  TiledKeys(
      TiledLookups tiled,
      LookupBatch lookups,
      KeyLabels labels,
      ChainClient client,
      TiledPrompt prompt) {
    this.tiled = tiled;
    this.lookups = lookups;
    this.labels = labels;
    this.client = client;
    this.prompt = prompt;
    prompt.forEachPair(
        lookups,
        (low, previous, isAssumed) -> {
          if (isAssumed) {
            assumed.put(low, previous);
          }
        });
    reads = new LookupBatch(client);
    stores = new LookupBatch(client);
  }

  void stored(ChainConnection connection, ObjectKey key, long nanos) {
    stores.also(connection, key.labels(), key.entryLow(), nanos);
  }

  /**
   * Records that a connection of its client reads a key; returns false if it is not one of those
   * that were found, or was read before.
   */
  boolean read(ChainConnection connection, ObjectKey key, long nanos) {
    long low = key.entryLow();
    boolean first = lookups.isAvailable(low) && !reads.contains(low);
    if (first) {
      reads.add(connection, labels, low, key.entryHigh(), true, nanos);
    }
    return first;
  }

  /** Puts the keys of a request in the order of its lookups. */
  void order(ObservedRequest request, Predecessors predecessors) {
    prompt.forEachPair(
        lookups,
        (low, previous, isAssumed) -> {
          if (isAssumed) {
            predecessors.assume(low, previous);
          } else {
            predecessors.sawInTile(low, previous);
          }
        });
    request.keys.clear();
    tiled.imply(request, lookups, lookups.low(prompt.indexes().getInt(0)));
    request.implied = request.size();
    request.found = request.implied;
    request.available = request.implied;
    for (int i = 0; i < prompt.indexes().size(); i++) {
      int index = prompt.indexes().getInt(i);
      request.found += lookups.found(index) && request.found == request.size() ? 1 : 0;
      boolean leads = request.available == request.size();
      request.available += leads && lookups.isAvailable(index) ? 1 : 0;
      request.add(lookups.low(index), lookups.high(index));
    }
    request.reached = request.found;
  }

  /** Puts the keys of a request in the order that its lookups, reads and stores show. */
  void reorder(ObservedRequest request, Predecessors predecessors) {
    if (reads.size() + stores.size() < 2) {
      return;
    }
    int workers = client.known().workers();
    reads.rows().forEach(row -> learn(reads, row, predecessors, workers, this::learn));
    stores.others().forEach(row -> learn(stores, row, predecessors, workers, this::learn));
    IntArrayList indexes = new IntArrayList(prompt.indexes());
    indexes.sort(null);
    if (reads.size() > 0) {
      // A client reads the prefix that it found: other chunks found are behind a missing one.
      indexes.forEach((int index) -> {
        if (!reads.contains(lookups.low(index))) {
          lookups.forget(index);
        }
      });
    }
    prompt = TileOrder.prompt(lookups, indexes, predecessors, workers);
    order(request, predecessors);
  }

  /** Learns from the tiles of further objects of chunks that a client looks up. */
  static void learnOthers(LookupBatch batch, Predecessors predecessors, int workers) {
    batch.others().forEach(row -> learn(batch, row, predecessors, workers, (low, before) -> {}));
  }

  /** Learns from tiles that were cut elsewhere; passes on each key and the one before it. */
  private static void learn(
      LookupBatch batch, Object row, Predecessors predecessors, int workers, LongPairs also) {
    for (TiledPrompt tiles : TileOrder.prompts(batch, row, predecessors, workers)) {
      tiles.forEachPair(
          batch,
          (low, previous, isAssumed) -> {
            if (!isAssumed) {
              also.accept(low, previous);
              predecessors.sawInTile(low, previous);
            }
          });
    }
  }

  private interface LongPairs {
    void accept(long low, long previous);
  }

  /** Learns how far the assumed order was right. */
  private void learn(long low, long previous) {
    if (assumed.containsKey(low)) {
      client.known().assumed(assumed.get(low) == previous);
    }
  }

  /** Returns how many of the first keys are in an order that is known, or can be assumed. */
  int ordered(ObservedRequest request, Predecessors predecessors) {
    if (client.known().isOrdered()) {
      return request.size();
    }
    int sure = 1;
    while (sure < request.size()
        && predecessors.isSure(request.low(sure))
        && predecessors.before(request.low(sure)) == request.low(sure - 1)) {
      sure++;
    }
    return sure;
  }
}
