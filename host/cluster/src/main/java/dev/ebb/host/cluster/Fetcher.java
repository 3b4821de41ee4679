package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.store.ChunkKeys;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.transfer.FetchOptions;
import dev.ebb.host.transfer.FetchResult;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferException;
import dev.ebb.host.transfer.TransferSink;
import dev.ebb.host.transfer.TransferSource;
import dev.ebb.host.transfer.ValueHeader;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Copies values between the stores of nodes: from pool to pool. */
final class Fetcher {

  /** A client waits: the caller asks another node rather than this one again. */
  private static final FetchOptions READ = FetchOptions.READ.withAttempts(1);

  private final TransferClient client;
  private final Deletions deletions;

  Fetcher(TransferClient client, Deletions deletions) {
    this.client = client;
    this.deletions = deletions;
  }

  /** Opens what another node fetches from this one. */
  static @Nullable TransferSource open(LocalStores stores, EvictedValues evicted, byte[] key) {
    LocalStores.Copy copy = stores.open(key);
    if (copy != null) {
      return new StoredSource(copy.reader(), copy::close);
    }
    EvictedValues.Use leaving = evicted.open(key);
    return leaving == null ? null : new StoredSource(leaving.reader(), leaving::close);
  }

  /**
   * Copies a value from another node. Waits until it is stored. Refuses a value that a client has
   * deleted meanwhile.
   *
   * @param background whether it must not slow reads down
   * @param into the store for it, which keeps a newer value
   */
  FetchResult fetch(Node from, byte[] key, boolean background, ObjectStore into)
      throws TransferException, InterruptedException {
    long clears = deletions.clears();
    FetchOptions options = background ? FetchOptions.BACKGROUND : READ;
    try (StoreSink sink = new StoreSink(into, key)) {
      FetchResult result = client.fetch(Peers.address(from), key, options, sink);
      ValueHeader header = result.header();
      if (!result.complete() || header == null) {
        return result;
      }
      return deletions.store(key, header.version(), clears, sink::commit)
          ? result
          : new FetchResult(
              FetchResult.Status.REFUSED, header, 0, result.received(), result.retries());
    }
  }

  /**
   * Adds the metadata of a chunk, if there is any.
   *
   * @param key that of the chunk's bytes
   */
  static void attach(ObjectStore store, byte[] key, byte[] metadata, SetOptions options) {
    if (metadata.length > 0 && ChunkKeys.hasMetadata(key)) {
      try (ValueWriter attached = store.write(ChunkKeys.metadataKey(key), metadata.length)) {
        attached.write(ByteBuffer.wrap(metadata));
        attached.commit(options);
      }
    }
  }

  /** A value of this node. */
  private record StoredSource(ValueReader reader, Runnable closing) implements TransferSource {

    @Override
    public ValueHeader header() {
      return new ValueHeader(
          reader.version(), reader.expiresAt(), reader.length(), reader.attachment());
    }

    @Override
    public ByteBuffer piece(long offset, int most) {
      return reader.piece(offset, most);
    }

    @Override
    public void close() {
      closing.run();
    }
  }

  /** A value that arrives in a store. */
  private static final class StoreSink implements TransferSink, AutoCloseable {

    private final ObjectStore store;
    private final byte[] key;
    private @Nullable ValueWriter writer;
    private @Nullable ValueHeader header;

    StoreSink(ObjectStore store, byte[] key) {
      this.store = store;
      this.key = key;
    }

    @Override
    public boolean begin(ValueHeader arriving) {
      close();
      ValueWriter begun = store.write(key, arriving.length());
      header = arriving;
      writer = begun;
      return begun.allocate();
    }

    @Override
    public ByteBuffer place(long offset, int most) {
      ByteBuffer place = writer == null ? null : writer.place(offset, most);
      if (place == null) {
        throw new IllegalStateException("values can be copied to pools in host memory only");
      }
      return place;
    }

    boolean commit() {
      if (writer == null || header == null) {
        throw new IllegalStateException("nothing has arrived");
      }
      SetOptions options =
          header.expiresAt() == ObjectStore.NEVER
              ? new SetOptions(
                  SetOptions.Condition.ALWAYS, SetOptions.Expiry.NONE, 0, false, header.version())
              : new SetOptions(
                  SetOptions.Condition.ALWAYS,
                  SetOptions.Expiry.AT,
                  header.expiresAt(),
                  false,
                  header.version());
      writer.filled();
      writer.commit(options);
      attach(store, key, header.attachment(), options);
      return true;
    }

    @Override
    public void close() {
      if (writer != null) {
        writer.close();
        writer = null;
      }
    }
  }
}
