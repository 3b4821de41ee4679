package dev.ebb.host.cluster;

import dev.ebb.host.cluster.change.NodeDisk;
import dev.ebb.host.cluster.change.Tombstones;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.store.DiskValues;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The copies of a node.
 *
 * @param main the values that its clients stored, and those that were moved to it
 * @param replicas replicas of other nodes' values
 * @param readCache values that were read from other nodes; the directory does not know them
 * @param tombstones what clients have deleted lately
 * @param disk values that the main store has evicted
 */
record LocalStores(
    ObjectStore main,
    ObjectStore replicas,
    ObjectStore readCache,
    Tombstones tombstones,
    NodeDisk disk) {

  private static final int PIECE = 1 << 20;

  LocalStores(
      ObjectStore main, ObjectStore replicas, ObjectStore readCache, @Nullable DiskValues disk) {
    this(main, replicas, readCache, new Tombstones(), new NodeDisk(disk));
  }

  /** A copy that the directory knows, or should know. */
  record Copy(ValueReader reader, boolean replica) implements AutoCloseable {

    @Override
    public void close() {
      reader.close();
    }
  }

  boolean has(byte[] key) {
    return main.length(key) >= 0 || replicas.length(key) >= 0;
  }

  /** Opens the newest copy, without a use; null if there is none. */
  @Nullable Copy open(byte[] key) {
    return open(key, false);
  }

  /** Opens the newest copy; it is used if a client of another node reads it. */
  @Nullable Copy open(byte[] key, boolean used) {
    ValueReader own = main.open(key, used);
    ValueReader replica = replicas.open(key, used);
    if (own == null) {
      return replica == null ? null : new Copy(replica, true);
    }
    if (replica == null) {
      return new Copy(own, false);
    }
    // A client has stored here what was a replica before, or a newer value has arrived from its
    // primary node.
    boolean newer = replica.version() > own.version();
    (newer ? main : replicas).deleteUpTo(key, newer ? own.version() : replica.version());
    (newer ? own : replica).close();
    return newer ? new Copy(replica, true) : new Copy(own, false);
  }

  /** Returns whether there is a copy that is valid where one of a version is. */
  boolean holds(byte[] key, long version) {
    try (Copy copy = open(key)) {
      return copy != null
          && (ChunkKeys.isContentAddressed(key) || copy.reader().version() >= version);
    }
  }

  /** Removes every copy that is not newer than a version. */
  void drop(byte[] key, long upToVersion) {
    main.deleteUpTo(key, upToVersion);
    replicas.deleteUpTo(key, upToVersion);
    readCache.deleteUpTo(key, upToVersion);
  }

  /**
   * Removes every copy of values that a client deleted; those on their way are not stored.
   *
   * @return for each whether it was on the disk, when it cannot come back
   */
  CompletableFuture<List<Boolean>> delete(List<Item> items) {
    // First, so that what is evicted or read meanwhile is not valid.
    CompletableFuture<List<Boolean>> onDisk = disk.deleted(items);
    items.forEach(item ->
        tombstones.delete(item.key(), item.version(), () -> drop(item.key(), item.version())));
    return onDisk;
  }

  /** Removes the copies of other nodes' values; those on their way are not stored. */
  void clearCopies(long version) {
    disk.cleared(version);
    tombstones.clear(
        version,
        () -> {
          replicas.clear();
          readCache.clear();
        });
  }

  /** Adds the metadata of a chunk that clients of another node have added to their copy. */
  void attach(byte[] key, byte[] metadata) {
    for (ObjectStore store : List.of(main, replicas, readCache)) {
      try (ValueReader reader = store.open(key)) {
        if (reader != null && reader.attachment().length == 0) {
          Fetcher.attach(store, key, metadata, SetOptions.PLAIN);
        }
      }
    }
  }

  /** Removes everything; what other nodes still offer up to a version is not stored. */
  void clear(long version) {
    if (disk.isOn()) {
      disk.values().clearing();
    }
    main.clear();
    clearCopies(version);
    if (disk.isOn()) {
      disk.values().clear().toCompletableFuture().join();
    }
  }

  /** Returns the CRC32C of a value's bytes. */
  static int crc32c(ValueReader reader) {
    CRC32C crc = new CRC32C();
    for (long at = 0; at < reader.length(); ) {
      ByteBuffer piece = reader.piece(at, PIECE);
      at += piece.remaining();
      crc.update(piece);
    }
    return (int) crc.getValue();
  }
}
