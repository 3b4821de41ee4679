package dev.ebb.host.cluster;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.cluster.message.MessageType;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ObjectStore;
import dev.ebb.host.store.RemoteValue;
import dev.ebb.host.store.RemoteValues;
import dev.ebb.host.store.RemoteValues.RemoteTraffic;
import dev.ebb.host.store.ValuePart;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.transfer.TransferException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of values that the main store of this node does not have: from its replicas, its read
 * cache, or the nearest node with a copy. Several reads of one value share one fetch.
 *
 * <p>A value whose key names its content is valid wherever it is found. For any other, the
 * directory is asked first, and only a copy of the newest version is returned.
 */
final class RemoteReads implements RemoteValues {

  private static final Logger LOG = LoggerFactory.getLogger(RemoteReads.class);

  /** A deletion applies to what other nodes have stored before, which may have clocks ahead. */
  private static final long CLOCK_DIFFERENCE_MILLIS = 20;

  private final ClusterNode cluster;

  private final Map<Fetch, CompletableFuture<Boolean>> fetching = new ConcurrentHashMap<>();
  private final PartialReads parts;

  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder sharedFetches = new LongAdder();
  final ReadFetches fetches;

  private record Fetch(ValueId id, long version) {}

  RemoteReads(ClusterNode cluster) {
    this.cluster = cluster;
    fetches = new ReadFetches(cluster.peers);
    parts = new PartialReads(cluster, fetches);
  }

  @Override
  public CompletionStage<List<@Nullable ValuePart>> read(
      List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String trace) {
    List<@Nullable ValuePart> found = here(keys, key -> part(copy(key, 0), wanted));
    hits.add(found.stream().filter(Objects::nonNull).count());
    if (!found.contains(null)) {
      return CompletableFuture.completedStage(found);
    }
    return entries(keys, found)
        .thenCompose(entries -> arrived(keys, found, entries, wanted, trace))
        .whenComplete((opened, failed) -> {
          if (failed != null) {
            found.stream().filter(Objects::nonNull).forEach(ValuePart::close);
          }
        });
  }

  /** Completes the values found here with those that other nodes have. */
  private CompletionStage<List<@Nullable ValuePart>> arrived(
      List<byte[]> keys,
      List<@Nullable ValuePart> found,
      Map<ValueId, DirectoryEntry> entries,
      LongFunction<ByteRange> wanted,
      @Nullable String trace) {
    List<CompletableFuture<@Nullable ValuePart>> arriving = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      ValuePart here = found.get(i);
      DirectoryEntry entry = here == null ? entries.get(id(keys.get(i))) : null;
      arriving.add(
          entry == null || entry.deleted()
              ? CompletableFuture.completedFuture(here)
              : value(keys.get(i), entry, wanted, trace));
    }
    return CompletableFuture.allOf(arriving.toArray(CompletableFuture[]::new))
        .thenApply(done -> {
          for (int i = 0; i < keys.size(); i++) {
            if (found.get(i) == null) {
              found.set(i, arriving.get(i).join());
              (found.get(i) == null ? misses : hits).increment();
            }
          }
          return found;
        })
        .whenComplete((opened, failed) -> {
          if (failed != null) {
            for (CompletableFuture<@Nullable ValuePart> part : arriving) {
              var _ = part.thenAccept(RemoteReads::close);
            }
          }
        });
  }

  private static @Nullable ValuePart part(
      @Nullable ValueReader reader, LongFunction<ByteRange> wanted) {
    return reader == null ? null : new ValuePart(reader, wanted.apply(reader.length()));
  }

  private static void close(@Nullable ValuePart part) {
    if (part != null) {
      part.close();
    }
  }

  /** Reads a value, or completes with null if no node has it. */
  private CompletableFuture<@Nullable ValuePart> value(
      byte[] key, DirectoryEntry entry, LongFunction<ByteRange> wanted, @Nullable String trace) {
    long version = entry.immutable() ? 0 : entry.version();
    ValuePart present = part(copy(key, version), wanted);
    if (present != null) {
      return CompletableFuture.completedFuture(present);
    }
    ByteRange range =
        ChunkKeys.isMetadata(key) ? ByteRange.whole(entry.bytes()) : wanted.apply(entry.bytes());
    if (parts.separates(entry.bytes(), range)) {
      return parts.read(key, entry, range, wanted, trace);
    }
    return fetched(key, entry, trace)
        .thenApply(arrived -> part(arrived ? copy(key, version) : null, wanted));
  }

  @Override
  public CompletionStage<List<@Nullable RemoteValue>> find(List<byte[]> keys) {
    List<@Nullable RemoteValue> found = here(keys, key -> present(key, 0));
    return entries(keys, found)
        .thenApply(entries -> {
          for (int i = 0; i < keys.size(); i++) {
            if (found.get(i) == null) {
              found.set(i, located(keys.get(i), entries.get(id(keys.get(i)))));
            }
          }
          return found;
        });
  }

  private @Nullable RemoteValue located(byte[] key, @Nullable DirectoryEntry entry) {
    if (entry == null || entry.deleted()) {
      return null;
    }
    return isReadable(entry)
        ? remote(key, entry)
        : present(key, entry.immutable() ? 0 : entry.version());
  }

  /** Finds a copy of a version or a newer one in the replicas or the read cache, without a use. */
  private @Nullable RemoteValue present(byte[] key, long version) {
    for (ObjectStore store : List.of(cluster.stores.replicas(), cluster.stores.readCache())) {
      try (ValueReader reader = store.open(ChunkKeys.mainKey(key))) {
        if (reader != null && reader.version() >= version) {
          long length = ChunkKeys.isMetadata(key) ? reader.attachment().length : reader.length();
          return new RemoteValue(length, reader.expiresAt());
        }
      }
    }
    return null;
  }

  private boolean isReadable(DirectoryEntry entry) {
    return cluster.members.hasLive(entry) && entry.expiresAt() > System.currentTimeMillis();
  }

  private static RemoteValue remote(byte[] key, DirectoryEntry entry) {
    // The directory does not know the size of a chunk's metadata, which no client asks for.
    return new RemoteValue(ChunkKeys.isMetadata(key) ? 0 : entry.bytes(), entry.expiresAt());
  }

  @Override
  public CompletionStage<List<Boolean>> delete(List<byte[]> keys) {
    Map<ValueId, byte[]> mains = new HashMap<>();
    keys.forEach(key -> mains.put(id(key), ChunkKeys.mainKey(key)));
    CompletableFuture<List<Boolean>> deleted =
        cluster
            .directory
            .get(mains.keySet())
            .thenCompose(entries -> {
              // Later than every copy, whatever the clocks of their nodes show.
              entries.values().forEach(entry -> cluster.clock.observe(entry.version()));
              long version = cluster.clock.next(CLOCK_DIFFERENCE_MILLIS);
              Map<ValueId, Change> changes = new HashMap<>();
              mains.keySet().forEach(id -> changes.put(id, new Change.Deleted(version)));
              return cluster
                  .directory
                  .update(changes)
                  .thenApplyAsync(after -> dropped(keys, mains, entries, version), cluster.threads);
            });
    return limited(deleted);
  }

  /** Ends the wait for a removal, which goes on. */
  private <T> CompletableFuture<T> limited(CompletableFuture<T> removal) {
    return removal
        .copy()
        .orTimeout(2 * cluster.config.requestTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Removes the copies of deleted values; returns which values other nodes had. */
  private List<Boolean> dropped(
      List<byte[]> keys,
      Map<ValueId, byte[]> mains,
      Map<ValueId, DirectoryEntry> entries,
      long version) {
    List<Item> items = new ArrayList<>();
    mains.values().forEach(key -> items.add(new Item(key, version)));
    CompletableFuture<List<Boolean>> here = cluster.stores.delete(items);
    Map<ValueId, Boolean> onDisks = new ConcurrentHashMap<>();
    // A node may have a copy that the directory does not know: read, or about to be announced.
    CompletableFuture<?>[] sent =
        cluster.members.others().stream()
            .map(node ->
                CompletableFuture.runAsync(() -> delete(node, items, onDisks), cluster.threads))
            .toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(sent).join();
    note(items, here.join(), onDisks);
    return keys.stream()
        .map(key -> onDisks.containsKey(id(key)) || isOutsideMainStore(entries.get(id(key))))
        .toList();
  }

  private static void note(List<Item> items, List<Boolean> had, Map<ValueId, Boolean> onDisks) {
    for (int i = 0; i < had.size(); i++) {
      if (had.get(i)) {
        onDisks.put(ValueId.of(items.get(i).key()), true);
      }
    }
  }

  private boolean isOutsideMainStore(@Nullable DirectoryEntry entry) {
    return entry != null
        && entry.holders().stream()
            .anyMatch(holder -> holder.node() != cluster.members.self().id() || holder.replica());
  }

  private void delete(Node node, List<Item> items, Map<ValueId, Boolean> onDisks) {
    for (List<Item> some : Message.parts(items)) {
      try {
        if (!cluster.peers.responds(node)) {
          sendLater(node, some);
        } else {
          byte[] had =
              cluster.peers.call(node, MessageType.DELETE, some, cluster.config.requestTimeout());
          note(some, IntStream.range(0, had.length).mapToObj(i -> had[i] == 1).toList(), onDisks);
        }
      } catch (TransferException unreachable) {
        sendLater(node, some);
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** It may also learn of these deletions from the directory, when it is back. */
  private void sendLater(Node node, List<Item> deleted) {
    deleted.forEach(item -> cluster.peers.send(node.id(), MessageType.DELETE, item));
  }

  @Override
  public CompletionStage<Void> clear() {
    CompletableFuture<Void> cleared =
        cluster
            .directory
            .clear()
            .thenRunAsync(
                () -> {
                  long version = cluster.clock.next(CLOCK_DIFFERENCE_MILLIS);
                  cluster.stores.clearCopies(version);
                  CompletableFuture.allOf(
                          cluster.members.others().stream()
                              .map(node ->
                                  CompletableFuture.runAsync(
                                      () -> clear(node, version), cluster.threads))
                              .toArray(CompletableFuture[]::new))
                      .join();
                },
                cluster.threads);
    return limited(cleared);
  }

  private void clear(Node node, long version) {
    try {
      cluster.peers.call(
          node,
          MessageType.CLEAR,
          List.of(new Item(new byte[0], version)),
          cluster.config.requestTimeout());
    } catch (TransferException unreachable) {
      LOG.warn("values not cleared node={} reason=\"{}\"", node.name(), unreachable.getMessage());
      throw new CompletionException(unreachable);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void stored(long connection, byte[] key, long version) {
    cluster.writes.stored(connection, key, version);
  }

  @Override
  public CompletableFuture<Integer> await(long connection, long nodes, long millis) {
    return cluster.writes.await(connection, nodes, millis);
  }

  @Override
  public RemoteTraffic traffic() {
    return new RemoteTraffic(
        fetches.bytes.sum(), cluster.replication.bytes.sum(), cluster.offload.movedBytes.sum());
  }

  /** Returns the copies on this node of values whose keys name their content. */
  private static <T> List<@Nullable T> here(List<byte[]> keys, Function<byte[], @Nullable T> copy) {
    List<@Nullable T> found = new ArrayList<>();
    keys.forEach(key -> found.add(ChunkKeys.isContentAddressed(key) ? copy.apply(key) : null));
    return found;
  }

  /** Returns the directory's entries of values that were not found. */
  private CompletableFuture<Map<ValueId, DirectoryEntry>> entries(
      List<byte[]> keys, List<? extends @Nullable Object> found) {
    Set<ValueId> unknown = new HashSet<>();
    for (int i = 0; i < keys.size(); i++) {
      if (found.get(i) == null) {
        unknown.add(id(keys.get(i)));
      }
    }
    return unknown.isEmpty()
        ? CompletableFuture.completedFuture(Map.of())
        : cluster.directory.get(unknown);
  }

  private static ValueId id(byte[] key) {
    return ValueId.of(ChunkKeys.mainKey(key));
  }

  /**
   * Opens a copy of a version among the replicas or in the read cache; or a newer one, which
   * replaced it after the directory was asked.
   */
  private @Nullable ValueReader copy(byte[] key, long version) {
    for (ObjectStore store : List.of(cluster.stores.replicas(), cluster.stores.readCache())) {
      ValueReader reader = store.get(key);
      if (reader != null && reader.version() >= version) {
        return reader;
      }
      if (reader != null) {
        reader.close();
      }
    }
    return null;
  }

  /** Fetches a whole value into the read cache; completes with false if no node has one. */
  private CompletableFuture<Boolean> fetched(
      byte[] key, DirectoryEntry entry, @Nullable String trace) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    Fetch wanted = new Fetch(id(key), entry.immutable() ? 0 : entry.version());
    CompletableFuture<Boolean> mine = new CompletableFuture<>();
    CompletableFuture<Boolean> running = fetching.putIfAbsent(wanted, mine);
    if (running != null) {
      sharedFetches.increment();
      return running;
    }
    cluster.threads.execute(() -> {
      boolean arrived = false;
      try {
        arrived = fetch(mainKey, entry, trace);
      } catch (InterruptedException closing) {
        Thread.currentThread().interrupt();
      } finally {
        fetching.remove(wanted, mine);
        mine.complete(arrived);
      }
    });
    return mine;
  }

  private boolean fetch(byte[] key, DirectoryEntry entry, @Nullable String trace)
      throws InterruptedException {
    for (Node node : cluster.members.nearest(ValueId.of(key), entry)) {
      Fetcher.Part part =
          fetches.run(
              key,
              node,
              from -> cluster.fetcher.read(from, key, cluster.stores.readCache(), trace));
      if (part != null && part.result().complete()) {
        return true;
      }
    }
    return false;
  }
}
