package dev.ebb.host.store;

import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.tile.LookupBatch;
import dev.ebb.host.store.tile.TileOrder;
import dev.ebb.host.store.tile.TiledPrompt;
import dev.ebb.spi.NodeList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lookups of clients that look all chunks of a prompt up at once, over several connections.
 * They are collected until one of their keys is read or stored, or until a pause; then their order
 * is found, and requests start. Guarded by the partition's lock.
 */
final class TiledLookups {

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How many prompts a client looks up, or reads, at a time: LMCache's limit by default. */
  private static final int MOST_AT_A_TIME = 8;

  private final TimeSource time;
  private final MissedKeys missedKeys;
  private final Predecessors predecessors;
  private final TiledKeys.Implied implied;
  private final Consumer<ObservedRequest> started;

  /** Batches that are being collected, the longest inactive one cold. */
  private final NodeList<LookupBatch> open = new NodeList<>();

  /** These batches by their keys; the first one of a key that several have. */
  private final Long2ObjectOpenHashMap<LookupBatch> byKey = new Long2ObjectOpenHashMap<>();

  /**
   * Creates it without lookups.
   *
   * @param started receives each request, whose keys are in order
   */
  TiledLookups(
      TimeSource time,
      MissedKeys missedKeys,
      Predecessors predecessors,
      TiledKeys.Implied implied,
      Consumer<ObservedRequest> started) {
    this.time = time;
    this.missedKeys = missedKeys;
    this.predecessors = predecessors;
    this.implied = implied;
    this.started = started;
  }

  /** Records that a connection looked up a key of a rank that stands for all. */
  void lookedUp(
      StorePartition partition, StoreConnection connection, ObjectKey key, boolean found) {
    long low = key.entryLow();
    long now = time.nanos();
    LookupBatch batch = batchOf(partition, connection, low, now);
    batch.add(connection, key.labels(), low, key.entryHigh(), found, now);
    if (isFront(low)) {
      batch.markFront();
    }
    byKey.putIfAbsent(low, batch);
    open.moveToHot(batch);
  }

  /** Records that a connection looked up a key of another rank. */
  void passed(StorePartition partition, StoreConnection connection) {
    long now = time.nanos();
    LookupBatch batch = batchOf(partition, connection, Predecessors.NONE, now);
    batch.pass(connection, now);
    open.moveToHot(batch);
  }

  /**
   * Returns the batch that a lookup belongs to. The tiles of all prompts of a client enter one
   * queue, so a connection that has sent a whole tile of a prompt goes on with a later one.
   */
  private LookupBatch batchOf(
      StorePartition partition, StoreConnection connection, long low, long now) {
    ChainClient client = missedKeys.client(connection).known();
    client.batches.removeIf(each -> each.list() == null);
    LookupBatch newest = client.batches.peekLast();
    if (newest != null && now - newest.lastNanos() > PAUSE_NANOS) {
      List.copyOf(client.batches).forEach(this::end);
      client.batches.clear();
      newest = null;
    }
    if (newest == null) {
      return start(partition, client);
    }
    if (newest.contains(low) || (newest.hasFront() && isFront(low))) {
      newest.tileIsComplete(connection);
      if (newest.contains(low)) {
        newest.mix();
      }
      if (client.batches.size() == MOST_AT_A_TIME) {
        end(client.batches.removeFirst());
      }
      return start(partition, client);
    }
    for (LookupBatch older : client.batches) {
      if (older != newest && older.isInTile(connection) && !older.contains(low)) {
        return older;
      }
    }
    return newest;
  }

  private boolean isFront(long low) {
    return predecessors.isSure(low) && predecessors.before(low) == Predecessors.NONE;
  }

  private LookupBatch start(StorePartition partition, ChainClient client) {
    LookupBatch batch = new LookupBatch(new Source(partition, client));
    client.batches.addLast(batch);
    open.addHot(batch);
    return batch;
  }

  /** Records that a connection reads a key. */
  void read(StoreConnection connection, ObjectKey key) {
    ChainClient client = connection.client;
    if (client == null || !client.isOf(missedKeys)) {
      return;
    }
    if (!isRead(client.known(), connection, key)) {
      used(client.known(), key.entryLow());
      isRead(client.known(), connection, key);
    }
    interrupt(connection, key.entryLow());
  }

  /** Records that a client uses a key: what it looks up without that key is another prompt. */
  private static void interrupt(StoreConnection connection, long low) {
    ChainClient client = connection.client;
    LookupBatch newest = client == null ? null : client.known().batches.peekLast();
    if (newest != null && !newest.contains(low)) {
      newest.interrupt();
    }
  }

  /** Records that a connection reads a key, if a recent request of its client awaits that. */
  private boolean isRead(ChainClient client, StoreConnection connection, ObjectKey key) {
    for (ObservedRequest request : client.recent) {
      if (request.tiled != null && request.tiled.read(connection, key, time.nanos())) {
        return true;
      }
    }
    return false;
  }

  /** Records that a connection stores a key. */
  void stored(StoreConnection connection, long low) {
    if (!byKey.containsKey(low)) {
      interrupt(connection, low);
      return;
    }
    ChainClient client = missedKeys.client(connection).known();
    // Two clients may store the same chunk at a time: each for its own prompt.
    if (!missedKeys.isExpected(low) || firstWith(client, low) != null) {
      used(client, low);
    }
    interrupt(connection, low);
  }

  /** Ends the lookups of a prompt of which a key is used, and of those before it. */
  private void used(ChainClient client, long low) {
    LookupBatch used = firstWith(client, low);
    if (used == null) {
      LookupBatch other = byKey.get(low);
      if (other != null) {
        end(other);
      }
      return;
    }
    LookupBatch first;
    do {
      first = client.batches.removeFirst();
      if (first.list() != null) {
        end(first);
      }
    } while (first != used);
  }

  private static @Nullable LookupBatch firstWith(ChainClient client, long low) {
    for (LookupBatch batch : client.batches) {
      if (batch.list() != null && batch.contains(low)) {
        return batch;
      }
    }
    return null;
  }

  /** Ends the batches that have been inactive for some time. */
  void sweep() {
    long now = time.nanos();
    for (LookupBatch first = open.cold();
        first != null && now - first.lastNanos() > PAUSE_NANOS;
        first = open.cold()) {
      end(first);
    }
  }

  private void end(LookupBatch batch) {
    open.remove(batch);
    for (int i = 0; i < batch.size(); i++) {
      byKey.remove(batch.low(i), batch);
    }
    Source source = (Source) batch.source();
    ChainClient client = source.client().known();
    client.lookedUp(batch.isMixed());
    if (client.mixesPrompts()) {
      for (int i = 0; i < batch.size(); i++) {
        missedKeys.alsoLookedUp(batch.low(i), client);
      }
      return;
    }
    for (Object row : batch.rows()) {
      for (TiledPrompt prompt : TileOrder.prompts(batch, row, predecessors, client.connections)) {
        started.accept(request(batch, prompt, source, (KeyLabels) row));
      }
    }
  }

  private ObservedRequest request(
      LookupBatch batch, TiledPrompt prompt, Source source, KeyLabels labels) {
    ChainClient client = source.client().known();
    ObservedRequest request = new ObservedRequest(source.partition(), labels.facts(), false);
    TiledKeys keys = new TiledKeys(batch, labels, client, prompt, implied);
    request.tiled = keys;
    request.client = client;
    client.recent.addLast(request);
    if (client.recent.size() > MOST_AT_A_TIME) {
      client.recent.removeFirst();
    }
    keys.order(request, predecessors);
    return request;
  }

  /** Whose lookups a batch has, and where. */
  private record Source(StorePartition partition, ChainClient client) {}
}
