package dev.ebb.host.store;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.limits.MemoryBudget;
import dev.ebb.host.store.chain.ChainConnection;
import dev.ebb.host.store.chain.ObservedRequest;
import dev.ebb.host.store.key.KeyLabels;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.units.ByteSize;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection to the store. The order of its lookups, reads and writes shows which
 * values form the chain of a prompt, unless its client states the keys of its requests. For one
 * thread at a time.
 */
public final class StoreConnection extends ChainConnection implements AutoCloseable {

  /** How many stated requests one connection may have open. */
  static final int MOST_REQUESTS = 1 << 10;

  /** How many keys these may have together. */
  static final int MOST_KEYS = 1 << 18;

  /** The heap of a stated request and of each of its keys, with what is expected for them. */
  static final long REQUEST_BYTES = 1 << 10;

  static final long KEY_BYTES = 128;

  private final ObjectStore store;

  /** Stated requests that have not ended, by the client's name for each. */
  private final Map<String, ObservedRequest> stated = new HashMap<>();

  private int statedKeys;

  /** The heap for the stated requests of all connections. */
  private final MemoryBudget memory;

  StoreConnection(ObjectStore store, String peer, MemoryBudget memory) {
    super(peer);
    this.store = store;
    this.memory = memory;
  }

  /** Opens a value for reading, which counts as a use; null if there is none. */
  public @Nullable ValueReader get(byte[] key) {
    return get(key, false);
  }

  /**
   * Does the same for a caller that may ask other nodes and tiers, and then calls {@link
   * #answered}, which counts the hit or the miss.
   */
  public @Nullable ValueReader get(byte[] key, boolean asksElsewhere) {
    return store.get(store.parse(key), this, asksElsewhere);
  }

  /** Counts what its client received for a key that memory had no value of; null if none has it. */
  public void answered(byte[] key, @Nullable ValuePart part) {
    store.answered(store.parse(key), part, this);
  }

  /**
   * Returns the trace context of the request that a value is read for elsewhere, in W3C's format;
   * null if it is not recorded.
   */
  public @Nullable String trace(byte[] key) {
    return store.trace(store.parse(key), this);
  }

  /**
   * Returns whether there is a value, which it leases. Lookups of chunks, front to back, are a use
   * of those that are found. A missing second value of a chunk counts as a miss, because the engine
   * will not request the first.
   */
  public boolean exists(byte[] key) {
    return store.exists(store.parse(key), this, false);
  }

  /**
   * Returns how many of some keys have a value, as {@link #exists(byte[])} does for one. Keys that
   * are looked up together are a request of their own.
   */
  public int exists(List<byte[]> keys) {
    return exists(keys, ObjectStore.NOWHERE);
  }

  /** Returns how many of some keys have a value here or on another node, as given. */
  public int exists(List<byte[]> keys, BitSet elsewhere) {
    return batch(
        keys,
        parsed -> {
          int found = 0;
          for (int i = 0; i < keys.size(); i++) {
            found += store.exists(parsed.apply(i), this, elsewhere.get(i)) ? 1 : 0;
          }
          return found;
        });
  }

  /** Returns how many of the first keys, of one prompt only, have a value, which it leases. */
  public int match(List<byte[]> keys) {
    return match(keys, ObjectStore.NOWHERE);
  }

  /** Returns how many of these have a value here, which it leases, or on another node, as given. */
  public int match(List<byte[]> keys, BitSet elsewhere) {
    return batch(keys, parsed -> store.match(keys.size(), parsed, this, elsewhere));
  }

  /** Looks keys up, each parsed once. Two keys may be those of one chunk. */
  private int batch(List<byte[]> keys, ToIntFunction<IntFunction<ObjectKey>> lookup) {
    IntFunction<ObjectKey> parsed = i -> store.parse(keys.get(i));
    boolean ofOneChunk = keys.size() < 2;
    if (keys.size() == 2) {
      List<ObjectKey> both = List.of(parsed.apply(0), parsed.apply(1));
      parsed = both::get;
      ofOneChunk = both.get(0).entryLow() == both.get(1).entryLow();
    }
    if (!ofOneChunk) {
      endLookups();
    }
    int found = lookup.applyAsInt(parsed);
    if (!ofOneChunk) {
      endLookups();
    }
    return found;
  }

  /**
   * Starts a value; the key is kept and not to be changed. Nothing is visible, and an existing
   * value under the key does not change, before it is committed. The writer is to be committed or
   * closed.
   */
  public ValueWriter write(byte[] key, long length) {
    return store.write(store.parse(key), length, this);
  }

  /** States the object groups of the model that a key names. The configuration overrules that. */
  public void state(byte[] key, ObjectGroups groups) {
    KeyLabels labels = store.parse(key).labels();
    if (labels.rank() < 0) {
      throw new UserError(
          "GROUPS '%s' needs keys that name a model, as those of LMCache do; '%s' names none"
              .formatted(groups, new String(key, StandardCharsets.UTF_8)));
    }
    labels.model().state(groups);
  }

  /**
   * Begins a request whose keys the client states. Its leading keys that have values are leased, as
   * by {@link #match}; the others are expected to be stored, through any connection. Nothing is
   * learned from other lookups of this connection until all its requests have ended.
   *
   * @param id the client's name for it; an open request of this name ends
   * @param facts its attributes; a missing tenant and label are those of the first key
   * @param outputTokens the expected tokens of its answer; -1 if unknown
   * @param keys those of its prompt, front to back; at least one
   * @return how many of the first keys have values
   * @throws UserError if there are too many requests or keys, or the keys belong to several parts
   */
  public int begin(String id, RequestFacts facts, long outputTokens, List<byte[]> keys) {
    return begin(id, null, facts, outputTokens, keys, ObjectStore.NOWHERE);
  }

  /** Begins a request with some keys' values on other nodes. The trace context is W3C's. */
  public int begin(
      String id,
      @Nullable String traceparent,
      RequestFacts facts,
      long outputTokens,
      List<byte[]> keys,
      BitSet elsewhere) {
    end(id, -1);
    if (stated.size() == MOST_REQUESTS || keys.size() > MOST_KEYS - statedKeys) {
      forgetOver();
    }
    if (stated.size() == MOST_REQUESTS) {
      throw new UserError(
          "request '%s' is refused: the connection has %d open requests, which is the most allowed; end some with EBB.REQUEST END"
              .formatted(id, MOST_REQUESTS));
    }
    if (keys.size() > MOST_KEYS - statedKeys) {
      throw new UserError(
          "request '%s' is refused: with its '%d' keys, the open requests of the connection would have more than %d; end some with EBB.REQUEST END"
              .formatted(id, keys.size(), MOST_KEYS));
    }
    List<ObjectKey> parsed = keys.stream().map(store::parse).toList();
    StorePartition partition = partitionOf(parsed);
    use(id, keys.size());
    serve(null);
    RequestFacts completed = facts.withDefaults(parsed.getFirst().labels().facts());
    ObservedRequest begun = partition.chains.stated(id, traceparent, completed, outputTokens);
    stated.put(id, begun);
    int found = partition.lookups.begin(begun, parsed, elsewhere);
    statedKeys += begun.size();
    // A chunk that was named twice is one key.
    memory.free(KEY_BYTES * (keys.size() - begun.size()));
    return found;
  }

  /** Returns the part of a request's keys. Fails if they belong to several. */
  private StorePartition partitionOf(List<ObjectKey> keys) {
    ObjectKey first = keys.getFirst();
    for (ObjectKey key : keys) {
      if (store.of(key) != store.of(first)) {
        throw new UserError(
            "the keys '%s' and '%s' belong to tenants with different parts of the pool; begin one request for each tenant"
                .formatted(shown(first), shown(key)));
      }
    }
    return store.of(first);
  }

  private static String shown(ObjectKey key) {
    byte[] bytes = key.bytes();
    return new String(bytes, 0, Math.min(bytes.length, 200), StandardCharsets.UTF_8);
  }

  /** Returns the lower half of each key of an open request; null if it is not open. */
  public long @Nullable [] chunks(String id) {
    ObservedRequest open = stated.get(id);
    return open == null ? null : open.chunks();
  }

  public @Nullable String tenant(String id) {
    ObservedRequest open = stated.get(id);
    return open == null ? null : open.tenant();
  }

  public void hint(String id, BiFunction<RequestFacts, Long, RequestFacts> hinted) {
    ObservedRequest open = stated.get(id);
    if (open != null) {
      open.hint(hinted);
    }
  }

  private void use(String id, int keys) {
    long bytes = REQUEST_BYTES + KEY_BYTES * keys;
    if (memory.tryUse(bytes)) {
      return;
    }
    forgetOver();
    if (!memory.tryUse(bytes)) {
      throw new UserError(
          "request '%s' is refused: with its '%d' keys, the open requests of all clients would use more than %s, half of ebb.server.client-memory; end some with EBB.REQUEST END, or raise ebb.server.client-memory"
              .formatted(id, keys, ByteSize.format(memory.limitBytes())));
    }
  }

  private void forgetOver() {
    stated
        .values()
        .removeIf(each -> {
          if (each.isOver()) {
            forget(each);
          }
          return each.isOver();
        });
  }

  private void forget(ObservedRequest request) {
    statedKeys -= request.size();
    memory.free(REQUEST_BYTES + KEY_BYTES * request.size());
  }

  boolean end(String id, long outputTokens) {
    return end(id, outputTokens, facts -> facts);
  }

  /**
   * Ends a request that this connection has begun; -1 tokens stand for those expected at its start.
   * Returns whether it was open.
   */
  public boolean end(String id, long outputTokens, UnaryOperator<RequestFacts> shown) {
    ObservedRequest ended = stated.remove(id);
    if (ended == null) {
      return false;
    }
    forget(ended);
    ended.end(outputTokens, shown);
    return true;
  }

  @Override
  public void close() {
    serve(null);
    List.copyOf(stated.keySet()).forEach(id -> end(id, -1));
  }

  @Override
  protected Collection<ObservedRequest> stated() {
    return stated.values();
  }
}
