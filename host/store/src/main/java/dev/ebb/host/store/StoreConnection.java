package dev.ebb.host.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection to the store. The order of its lookups, reads and writes shows which
 * values form the chain of a prompt. For one thread at a time.
 */
public final class StoreConnection implements AutoCloseable {

  private final ObjectStore store;
  private final String peer;

  /** The request that it serves; guarded by that request's partition. */
  private @Nullable ObservedRequest request;

  StoreConnection(ObjectStore store, String peer) {
    this.store = store;
    this.peer = peer;
  }

  /** Returns the client's host, which may have other connections. */
  String peer() {
    return peer;
  }

  /**
   * Opens a value for reading, which counts as a use.
   *
   * @return the value, or null if there is none
   */
  public @Nullable ValueReader get(byte[] key) {
    return store.get(key, this);
  }

  /**
   * Returns whether there is a value, which it leases. Lookups of chunks, front to back, are a use
   * of those that are found. A missing second value of a chunk counts as a miss, because the engine
   * will not request the first.
   */
  public boolean exists(byte[] key) {
    return store.exists(key, this);
  }

  /**
   * Returns how many of the first keys have a value, which it leases: the longest resident prefix.
   *
   * @param keys those of a prompt, front to back
   */
  public int match(List<byte[]> keys) {
    return store.match(keys, this);
  }

  /**
   * Starts a value. Nothing is visible, and an existing value under the key does not change, before
   * it is committed.
   *
   * @param key its key; kept, not to be changed
   * @param length its size in bytes
   * @return a writer, to be committed or closed
   */
  public ValueWriter write(byte[] key, long length) {
    return store.write(key, length, this);
  }

  /** Ends the current request. */
  @Override
  public void close() {
    serve(null);
  }

  /** Returns the request that it serves in a partition, whose lock is held. */
  @Nullable ObservedRequest request(StorePartition partition) {
    ObservedRequest current = request;
    return current != null && current.partition == partition ? current : null;
  }

  /** Ends a request for another partition. No lock may be held. */
  void enter(StorePartition partition) {
    ObservedRequest current = request;
    if (current != null && current.partition != partition) {
      serve(null);
    }
  }

  /** Makes another request the current one, of the same partition, whose lock is held. */
  void serve(@Nullable ObservedRequest next) {
    ObservedRequest current = request;
    request = next;
    if (current != null && current != next) {
      current.partition.place.locked(() -> current.partition.chains.end(current));
    }
  }
}
