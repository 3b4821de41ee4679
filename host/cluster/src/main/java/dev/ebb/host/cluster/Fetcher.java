package dev.ebb.host.cluster;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cluster.change.NodeDisk;
import dev.ebb.host.cluster.change.Tombstones;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.chain.ChunkContext;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.transfer.FetchOptions;
import dev.ebb.host.transfer.FetchResult;
import dev.ebb.host.transfer.TransferClient;
import dev.ebb.host.transfer.TransferException;
import dev.ebb.host.transfer.TransferSink;
import dev.ebb.host.transfer.TransferSource;
import dev.ebb.host.transfer.ValueHeader;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Copies values between the stores of nodes: from pool to pool. */
record Fetcher(TransferClient client, Tombstones tombstones) {

  /** A client waits: the caller asks another node rather than this one again. */
  private static final FetchOptions READ = FetchOptions.READ.withAttempts(1);

  private static final ByteRange ALL = new ByteRange(0, Long.MAX_VALUE);
  private static final ByteRange NOTHING = new ByteRange(0, 0);
  private static final byte[] NO_CONTEXT = {};

  /** Opens what another node fetches, for a read of its client or for another copy. */
  static @Nullable TransferSource open(
      LocalStores stores, EvictionOffload offload, byte[] key, boolean read) {
    LocalStores.Copy copy = stores.open(key, read);
    if (copy != null) {
      return source(stores, copy, key, read);
    }
    EvictionOffload.Use leaving = offload.open(key);
    return leaving == null
        ? openOnDisk(stores, key, read)
        : new StoredSource(leaving.reader(), context(stores.main(), key, read), leaving::close);
  }

  private static TransferSource source(
      LocalStores stores, LocalStores.Copy copy, byte[] key, boolean read) {
    ObjectStore store = copy.replica() ? stores.replicas() : stores.main();
    return new StoredSource(copy.reader(), context(store, key, read), copy::close);
  }

  /** Opens a value of the disk, which then stays in memory if the policy admits it. */
  private static @Nullable TransferSource openOnDisk(LocalStores stores, byte[] key, boolean read) {
    NodeDisk.Opened opened = stores.disk().open(key);
    if (opened == null) {
      return null;
    }
    LocalStores.Copy copy = stores.open(key, read);
    if (copy != null) {
      opened.reader().close();
      return source(stores, copy, key, read);
    }
    return new StoredSource(opened.reader(), opened.metadata(), NO_CONTEXT, opened.reader()::close);
  }

  /** Returns what the store of another node has to know, unless it only caches the value. */
  private static byte[] context(ObjectStore store, byte[] key, boolean read) {
    return read || !ChunkKeys.isContentAddressed(key) ? NO_CONTEXT : store.context(key).encode();
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
    FetchOptions options = background ? FetchOptions.BACKGROUND : READ;
    return fetch(from, key, options, new StoreSink(into, key, ALL)).result();
  }

  /** Copies a value that a client reads, with the trace context of its request. */
  Part read(Node from, byte[] key, ObjectStore into, @Nullable String trace)
      throws TransferException, InterruptedException {
    return fetch(from, key, READ.withTraceparent(trace), new StoreSink(into, key, ALL));
  }

  /** Does the same in the background, unless the value would evict another one. */
  FetchResult fetchIfFree(Node from, byte[] key, ObjectStore into)
      throws TransferException, InterruptedException {
    StoreSink sink =
        new StoreSink(into, key, ALL) {
          @Override
          boolean allocate(ValueWriter begun) {
            return begun.allocateFree();
          }
        };
    return fetch(from, key, FetchOptions.BACKGROUND, sink).result();
  }

  private Part fetch(Node from, byte[] key, FetchOptions options, StoreSink into)
      throws TransferException, InterruptedException {
    long clears = tombstones.clears();
    try (into) {
      FetchResult result = client.fetch(Peers.address(from), key, options, into);
      ValueHeader header = result.header();
      boolean refused =
          result.complete()
              && header != null
              && !tombstones.store(key, header.version(), clears, into::arrived)
              && !(into instanceof ReadSink);
      return new Part(
          refused
              ? new FetchResult(
                  FetchResult.Status.REFUSED, header, 0, result.received(), result.retries())
              : result,
          into instanceof ReadSink read ? read.reader : null);
    }
  }

  /**
   * Bytes of a value of another node.
   *
   * @param reader that of the bytes, which are not stored as a value; null if they did not arrive
   */
  record Part(FetchResult result, @Nullable ValueReader reader) {}

  /**
   * Copies bytes of a value.
   *
   * @param length the length of the value; another one is refused
   * @param version the version wanted; 0 for any
   * @param memory the store whose memory they take until the reader is closed
   * @param trace the trace context of the client's request; null without one
   */
  Part part(
      Node from,
      byte[] key,
      long length,
      long version,
      ByteRange range,
      ObjectStore memory,
      @Nullable String trace)
      throws TransferException, InterruptedException {
    FetchOptions options =
        READ.withRange(range.from(), range.length()).withStreams(1).withTraceparent(trace);
    return fetch(
        from,
        key,
        options,
        new ReadSink(
            memory,
            key,
            range,
            header -> header.length() == length && (version == 0 || header.version() == version)));
  }

  /** Copies the metadata of a chunk without its bytes; the reader is null if it has none. */
  Part metadata(Node from, byte[] key, ObjectStore memory)
      throws TransferException, InterruptedException {
    FetchOptions options = READ.withRange(0, 0).withStreams(1);
    return fetch(
        from,
        key,
        options,
        new ReadSink(memory, key, NOTHING, header -> true) {
          @Override
          @Nullable ValueReader read(ValueWriter none, ValueHeader arrived) {
            ByteBuffer bytes = ByteBuffer.wrap(arrived.attachment());
            if (!bytes.hasRemaining()) {
              return null;
            }
            try (ValueWriter writer = memory.write(key, bytes.remaining())) {
              if (!writer.allocate()) {
                return null;
              }
              writer.write(0, bytes);
              writer.filled();
              return writer.read(arrived.version(), arrived.expiresAt());
            }
          }
        });
  }

  /** Adds the metadata of a chunk, if there is any, to the bytes that have a key. */
  static void attach(ObjectStore store, byte[] key, byte[] metadata, SetOptions options) {
    if (metadata.length > 0 && ChunkKeys.hasMetadata(key)) {
      try (ValueWriter attached = store.write(ChunkKeys.metadataKey(key), metadata.length)) {
        attached.write(ByteBuffer.wrap(metadata));
        attached.commit(options);
      }
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record StoredSource(ValueReader reader, byte[] metadata, byte[] context, Runnable closing)
      implements TransferSource {

    StoredSource(ValueReader reader, byte[] context, Runnable closing) {
      this(reader, reader.attachment(), context, closing);
    }

    @Override
    public ValueHeader header() {
      return new ValueHeader(
          reader.version(), reader.expiresAt(), reader.length(), metadata, context);
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
  private static class StoreSink implements TransferSink, AutoCloseable {

    private final ObjectStore store;
    private final byte[] key;
    private final ByteRange range;
    private final Predicate<ValueHeader> wanted;
    private @Nullable ValueWriter writer;
    private @Nullable ValueHeader header;

    StoreSink(ObjectStore store, byte[] key, ByteRange range) {
      this(store, key, range, header -> true);
    }

    StoreSink(ObjectStore store, byte[] key, ByteRange range, Predicate<ValueHeader> wanted) {
      this.wanted = wanted;
      this.store = store;
      this.key = key;
      this.range = range;
    }

    @Override
    public boolean begin(ValueHeader arriving) {
      close();
      if (!wanted.test(arriving)) {
        return false;
      }
      long end = Math.min(range.to(), arriving.length());
      ValueWriter begun = store.write(key, Math.max(0, end - range.from()));
      header = arriving;
      writer = begun;
      return allocate(begun);
    }

    boolean allocate(ValueWriter begun) {
      return begun.allocate();
    }

    @Override
    public ByteBuffer place(long offset, int most) {
      ByteBuffer place = writer == null ? null : writer.place(offset - range.from(), most);
      if (place == null) {
        throw new IllegalStateException("values can be copied to pools in host memory only");
      }
      return place;
    }

    /** Uses what has arrived. */
    final boolean arrived() {
      arrived(
          requireNonNull(writer, "nothing has arrived"),
          requireNonNull(header, "nothing has arrived"));
      return true;
    }

    void arrived(ValueWriter writer, ValueHeader header) {
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
      if (header.context().length > 0) {
        store.inform(key, ChunkContext.decode(header.context()));
      }
    }

    @Override
    public void close() {
      if (writer != null) {
        writer.close();
        writer = null;
      }
    }
  }

  /** Bytes of a value that are read instead of stored. */
  private static class ReadSink extends StoreSink {

    @Nullable ValueReader reader;

    ReadSink(ObjectStore store, byte[] key, ByteRange range, Predicate<ValueHeader> wanted) {
      super(store, key, range, wanted);
    }

    @Override
    void arrived(ValueWriter writer, ValueHeader header) {
      reader = read(writer, header);
    }

    @Nullable ValueReader read(ValueWriter writer, ValueHeader header) {
      writer.filled();
      return writer.read(header.version(), header.expiresAt());
    }
  }
}
