package dev.ebb.host.store.chain;

import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.spi.PolicyClock;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The keys that requests were missing, and so which request a client stores a value for. Guarded by
 * the partition's lock.
 */
final class MissedKeys {

  /** How many lookups that ended with a missing key wait for a client that stores it. */
  private static final int MOST_AWAITED = 1 << 10;

  /** How many missing keys of stated requests wait for a client that stores them. */
  private static final int MOST_EXPECTED = 1 << 18;

  /** How many chunks that the policy rejected are remembered. */
  private static final int MOST_REJECTED = 1 << 14;

  private static final int MOST_HOSTS = 1 << 10;

  /** An engine stores the chunks of a prompt once it has computed them. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** The most keys of a request: a client that only stores has none. */
  private static final int LONGEST = 1 << 14;

  private final PolicyClock time;

  /** Requests by the key that they were missing, oldest first. */
  private final Map<Long, ObservedRequest> awaited = new LinkedHashMap<>();

  /** Running stated requests by the keys that they were missing. */
  private final Long2ObjectOpenHashMap<ObservedRequest> expected = new Long2ObjectOpenHashMap<>();

  /**
   * Requests by the keys of their chunks that the policy rejected, oldest first: more objects of
   * these chunks may be stored.
   */
  private final Map<Long, ObservedRequest> rejected = new LinkedHashMap<>();

  /** The last request of each host whose missing key was stored by a client with a pool. */
  private final Map<String, ObservedRequest> hosts = new LinkedHashMap<>();

  MissedKeys(PolicyClock time) {
    this.time = time;
  }

  /** Records that the last lookup of a request found nothing. */
  void missed(ObservedRequest request) {
    rejected.remove(request.lastLow());
    ObservedRequest before = awaited.put(request.lastLow(), request);
    request.shared = before != null && before.client != request.client;
    if (awaited.size() > MOST_AWAITED) {
      awaited.remove(awaited.keySet().iterator().next());
    }
  }

  /** Expects a value of a request's key; returns false if another request waits for it. */
  boolean expect(long low, ObservedRequest request) {
    rejected.remove(low);
    if (expected.size() >= MOST_EXPECTED) {
      return false;
    }
    ObservedRequest other = expected.putIfAbsent(low, request);
    share(other, request.client);
    return other == null;
  }

  /** Records that a client has looked a key up that requests of other clients may wait for. */
  void alsoLookedUp(long low, ChainClient client) {
    share(expected.get(low), client);
  }

  private static void share(@Nullable ObservedRequest waiting, @Nullable ChainClient client) {
    if (waiting != null) {
      waiting.shared |= waiting.client != client;
    }
  }

  /** Records that the policy has rejected a chunk of a request, which may have more objects. */
  void rejected(ObjectKey key, ObservedRequest by) {
    if (!key.isSharded()) {
      return;
    }
    rejected.put(key.entryLow(), by);
    if (rejected.size() > MOST_REJECTED) {
      rejected.remove(rejected.keySet().iterator().next());
    }
  }

  /** Returns the request of which the policy has rejected a chunk since its lookup, if any. */
  @Nullable ObservedRequest rejectedOf(ObjectKey key) {
    return key.isSharded() ? rejected.get(key.entryLow()) : null;
  }

  void ended(ObservedRequest request) {
    for (int i = 0; i < request.size(); i++) {
      expected.remove(request.low(i), request);
    }
  }

  /** Returns the client that a connection is of, as far as known. */
  ChainClient client(ChainConnection connection) {
    ChainClient client = connection.client;
    if (client == null || !client.isOf(this)) {
      client = new ChainClient(this);
      connection.client = client;
    }
    return client;
  }

  /** Returns whether the keys of a connection's client are taken as objects of their own. */
  boolean mixesPrompts(ChainConnection connection) {
    ChainClient client = connection.client;
    return client != null && client.isOf(this) && client.known().mixesPrompts();
  }

  /** Returns whether a request waits for a key whose place in it is known. */
  boolean isExpected(long low) {
    return expected.containsKey(low);
  }

  /**
   * Returns the request that a value is stored for whose keys are known, once; null if there is
   * none. The connection that stores it is of the client that looked it up.
   */
  @Nullable ObservedRequest expecting(@Nullable ChainConnection connection, ObjectKey key) {
    ObservedRequest request = expected.remove(key.low());
    if (request != null && request.client != null && !request.shared && connection != null) {
      client(connection).storesFor(request.client);
    }
    return request;
  }

  /** Returns the stated request that a value is stored for; null if there is none. */
  @Nullable ObservedRequest expectedBy(ObjectKey key) {
    return expected.get(key.entryLow());
  }

  /**
   * Returns the request that a client stores a value for, as far as its lookups show, given that of
   * its connection; null if there is none.
   */
  @Nullable ObservedRequest storing(
      ChainConnection connection, @Nullable ObservedRequest own, ChainedValue value) {
    ObjectKey key = value.key;
    if (!key.standsForAll()) {
      return assisted(connection, key.low());
    }
    // All ranks store the key, and each may be the first.
    ObservedRequest waiting = key.isSharded() ? awaited.get(key.low()) : awaited.remove(key.low());
    if (waiting != null) {
      stores(connection, waiting);
    }
    ObservedRequest by = storing(connection, own, waiting);
    if (by == null
        || (by != waiting && (isOver(by) || !by.facts.equals(value.key.labels().facts())))) {
      return null;
    }
    by.served = true;
    return by;
  }

  /** Records that a connection that stores the key a request waits for is of its client. */
  private void stores(ChainConnection connection, ObservedRequest waiting) {
    ChainClient client = waiting.client;
    if (client != null && !waiting.shared) {
      client.join(client(connection));
      client.known().storing = waiting;
    }
    if (client == null || !client.known().pooled) {
      return;
    }
    if (hosts.size() >= MOST_HOSTS) {
      hosts.remove(hosts.keySet().iterator().next());
    }
    hosts.put(connection.peer, waiting);
  }

  /**
   * A client with a pool of connections stores the chunks of a request through all of them, also
   * through those that have looked nothing up.
   */
  private @Nullable ObservedRequest storing(
      ChainConnection connection,
      @Nullable ObservedRequest own,
      @Nullable ObservedRequest waiting) {
    ChainClient client = client(connection).known();
    if (own != null && !client.pooled) {
      return own;
    }
    if (waiting != null) {
      return waiting;
    }
    return client.pooled ? client.storing : hosts.get(connection.peer);
  }

  /** Returns the request of the first rank that a connection of another rank stores values for. */
  private @Nullable ObservedRequest assisted(ChainConnection connection, long low) {
    ObservedRequest first = awaited.get(connection.missed);
    if (first == null) {
      first = awaited.getOrDefault(low, connection.assisted);
    }
    connection.assisted = first;
    return first == null || isOver(first) ? null : first;
  }

  /** Returns whether a value is not taken for one of a request, which stored nothing lately. */
  private boolean isOver(ObservedRequest request) {
    return request.size() + request.made.size() >= LONGEST
        || time.nanos() - request.lastNanos > PATIENCE_NANOS;
  }
}
