package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.tile.LookupBatch;
import dev.ebb.host.store.tile.TileOrder;
import dev.ebb.host.store.tile.TiledPrompt;
import dev.ebb.spi.NodeList;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

  /** The most keys that are added in front of those that a client looked up. */
  private static final int MOST_IMPLIED = 1 << 12;

  private final Chains chains;

  /** Batches that are being collected, the longest inactive one cold. */
  private final NodeList<LookupBatch> open = new NodeList<>();

  /** These batches by their keys; the first one of a key that several have. */
  private final Long2ObjectOpenHashMap<LookupBatch> byKey = new Long2ObjectOpenHashMap<>();

  TiledLookups(Chains chains) {
    this.chains = chains;
  }

  /** Records that a connection looked up a key of a rank that stands for all. */
  void lookedUp(ChainConnection connection, ObjectKey key, boolean found, boolean elsewhere) {
    long low = key.entryLow();
    long now = chains.time.nanos();
    LookupBatch batch = batchOf(connection, low, now);
    batch.add(connection, key.labels(), low, key.entryHigh(), found, now);
    if (elsewhere) {
      batch.markElsewhere();
    }
    if (isFront(low)) {
      batch.markFront();
    }
    byKey.putIfAbsent(low, batch);
    open.moveToHot(batch);
  }

  /** Records that a connection looked up a key of another rank, or of another object group. */
  void passed(ChainConnection connection, ObjectKey key) {
    long now = chains.time.nanos();
    LookupBatch batch = batchOf(connection, Predecessors.NONE, now);
    if (key.labels().isOfFirstRank()) {
      batch.also(connection, key.labels(), key.entryLow(), now);
    } else {
      batch.pass(connection, now);
    }
    open.moveToHot(batch);
  }

  /**
   * Returns the batch that a lookup belongs to. The tiles of all prompts of a client enter one
   * queue, so a connection that has sent a whole tile of a prompt goes on with a later one.
   */
  private LookupBatch batchOf(ChainConnection connection, long low, long now) {
    ChainClient client = chains.missedKeys.client(connection).known();
    client.batches.removeIf(each -> each.list() == null);
    LookupBatch newest = client.batches.peekLast();
    if (newest != null && now - newest.lastNanos() > PAUSE_NANOS) {
      List.copyOf(client.batches).forEach(this::end);
      client.batches.clear();
      newest = null;
    }
    if (newest == null) {
      return start(client);
    }
    if (newest.contains(low) || (newest.hasFront() && isFront(low))) {
      newest.tileIsComplete(connection);
      if (newest.contains(low)) {
        newest.mix();
      }
      if (client.batches.size() == MOST_AT_A_TIME) {
        end(client.batches.removeFirst());
      }
      return start(client);
    }
    for (LookupBatch older : client.batches) {
      if (older != newest && older.isInTile(connection) && !older.contains(low)) {
        return older;
      }
    }
    return newest;
  }

  private boolean isFront(long low) {
    return chains.predecessors.isSure(low) && chains.predecessors.before(low) == Predecessors.NONE;
  }

  private LookupBatch start(ChainClient client) {
    LookupBatch batch = new LookupBatch(client);
    client.batches.addLast(batch);
    open.addHot(batch);
    return batch;
  }

  void read(ChainConnection connection, ObjectKey key) {
    ChainClient client = connection.client;
    if (client == null || !client.isOf(chains.missedKeys)) {
      return;
    }
    if (!isRead(client.known(), connection, key)) {
      used(client.known(), key.entryLow());
      isRead(client.known(), connection, key);
    }
    interrupt(connection, key.entryLow());
  }

  void lookupsAreOver(ChainConnection connection, long low) {
    ChainClient client = connection.client;
    if (client != null
        && client.isOf(chains.missedKeys)
        && firstWith(client.known(), low) != null) {
      used(client.known(), low);
    }
  }

  /** Records that a client uses a key: what it looks up without that key is another prompt. */
  private static void interrupt(ChainConnection connection, long low) {
    ChainClient client = connection.client;
    LookupBatch newest = client == null ? null : client.known().batches.peekLast();
    if (newest != null && !newest.contains(low)) {
      newest.interrupt();
    }
  }

  /** Records that a connection reads a key, if a recent request of its client awaits that. */
  private boolean isRead(ChainClient client, ChainConnection connection, ObjectKey key) {
    for (ObservedRequest request : client.recent) {
      if (request.tiled != null && request.tiled.read(connection, key, chains.time.nanos())) {
        return true;
      }
    }
    return false;
  }

  void stored(ChainConnection connection, long low) {
    if (!byKey.containsKey(low)) {
      interrupt(connection, low);
      return;
    }
    ChainClient client = chains.missedKeys.client(connection).known();
    // Two clients may store the same chunk at a time: each for its own prompt.
    if (!chains.missedKeys.isExpected(low) || firstWith(client, low) != null) {
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

  void sweep() {
    long now = chains.time.nanos();
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
    ChainClient client = ((ChainClient) batch.source()).known();
    client.lookedUp(batch);
    if (client.mixesPrompts()) {
      for (int i = 0; i < batch.size(); i++) {
        chains.missedKeys.alsoLookedUp(batch.low(i), client);
      }
      return;
    }
    TiledKeys.learnOthers(batch, chains.predecessors, client.workers());
    for (Object row : batch.rows()) {
      for (TiledPrompt prompt :
          TileOrder.prompts(batch, row, chains.predecessors, client.workers())) {
        KeyLabels labels = (KeyLabels) row;
        started(request(batch, prompt, client.known(), labels), labels);
      }
    }
  }

  /** Starts a request whose keys were looked up at once: their order is known by now. */
  private void started(ObservedRequest request, KeyLabels labels) {
    for (int i = 0; i < request.size(); i++) {
      long low = request.low(i);
      if (chains.values.at(low) == null && chains.missedKeys.expect(low, request)) {
        request.awaited += labels.awaited();
      }
    }
    chains.begun(request);
    if (request.awaited == 0) {
      chains.end(request);
    }
  }

  /**
   * Adds the resident keys before a key to a request: an engine does not look up the chunks that it
   * has in its own memory, but it uses them.
   */
  void imply(ObservedRequest request, LookupBatch lookups, long first) {
    List<ChainedValue> before = new ArrayList<>();
    long low = first;
    while (before.size() < MOST_IMPLIED && chains.predecessors.isSure(low)) {
      low = chains.predecessors.before(low);
      ChainedValue value = low == Predecessors.NONE ? null : chains.values.at(low);
      if (value == null || before.contains(value) || lookups.contains(low)) {
        break;
      }
      before.add(value);
    }
    before.reversed().forEach(value -> request.add(value.key.low(), value.key.high()));
  }

  private ObservedRequest request(
      LookupBatch batch, TiledPrompt prompt, ChainClient client, KeyLabels labels) {
    ObservedRequest request = new ObservedRequest(chains, labels.facts(), false);
    TiledKeys keys = new TiledKeys(this, batch, labels, client, prompt);
    request.tiled = keys;
    request.client = client;
    client.recent.addLast(request);
    if (client.recent.size() > MOST_AT_A_TIME) {
      client.recent.removeFirst();
    }
    keys.order(request, chains.predecessors);
    chains.recentReads.begun(request, labels);
    return request;
  }
}
