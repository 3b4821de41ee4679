package dev.ebb.host.cluster;

import dev.ebb.host.cluster.change.NodeDisk;
import dev.ebb.host.cluster.directory.Holder;
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
import dev.ebb.host.transfer.ValueHeader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The values outside the main store of a node that has a disk. A value whose key names its content
 * is read from this disk first. Then the memory of the other nodes is asked, and last their disks.
 * Of any other value, memory has the newest version, so this disk is asked after it.
 */
record TieredValues(ClusterNode cluster) implements RemoteValues {

  /** A node that does not answer in this time has nothing on its disk. */
  private static final Duration ANSWER_TIME = Duration.ofMillis(500);

  /** Stands for a value whose properties are not needed. */
  private static final RemoteValue EXISTING = new RemoteValue(0, ObjectStore.NEVER);

  private record OnDisks(List<Holder> nodes, RemoteValue value) {}

  private static final class Answers<T> {

    final List<byte[]> keys;
    final List<@Nullable T> known;
    private boolean ended;

    Answers(List<byte[]> keys) {
      this.keys = keys;
      known = new ArrayList<>(Collections.<@Nullable T>nCopies(keys.size(), null));
    }

    /**
     * Asks for missing answers. If that fails, those that are known are all; without any, fails.
     */
    CompletionStage<Answers<T>> ask(
        Predicate<byte[]> of, Function<List<byte[]>, CompletionStage<List<@Nullable T>>> question) {
      List<Integer> missing = new ArrayList<>();
      for (int i = 0; !ended && i < known.size(); i++) {
        if (known.get(i) == null && of.test(keys.get(i))) {
          missing.add(i);
        }
      }
      if (missing.isEmpty()) {
        return CompletableFuture.completedStage(this);
      }
      return question
          .apply(missing.stream().map(keys::get).toList())
          .handle((found, failure) -> {
            if (failure == null) {
              for (int i = 0; i < missing.size(); i++) {
                known.set(missing.get(i), found.get(i));
              }
            } else if (known.stream().allMatch(Objects::isNull)) {
              throw new CompletionException(failure);
            }
            ended = failure != null;
            return this;
          });
    }
  }

  private NodeDisk disk() {
    return cluster.stores.disk();
  }

  @Override
  public CompletionStage<List<@Nullable ValuePart>> read(
      List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String trace) {
    return ask(
        new Answers<>(keys),
        missing -> disk().values().read(missing, wanted, trace),
        missing -> cluster.reads.read(missing, wanted, trace),
        missing -> readFromPeers(missing, wanted, trace));
  }

  @Override
  public CompletionStage<List<@Nullable RemoteValue>> find(List<byte[]> keys) {
    return find(keys, disk().values()::find, NodeDisk.DESCRIBED);
  }

  @Override
  public CompletionStage<BitSet> exist(List<byte[]> keys) {
    return find(
            keys, missing -> disk().values().exist(missing).thenApply(set -> list(set, missing)), 0)
        .thenApply(RemoteValues::existing);
  }

  private static List<@Nullable RemoteValue> list(BitSet set, List<byte[]> keys) {
    return IntStream.range(0, keys.size())
        .<@Nullable RemoteValue>mapToObj(i -> set.get(i) ? EXISTING : null)
        .toList();
  }

  private CompletionStage<List<@Nullable RemoteValue>> find(
      List<byte[]> keys,
      Function<List<byte[]>, CompletionStage<List<@Nullable RemoteValue>>> ownDisk,
      long version) {
    return ask(
        new Answers<>(keys),
        ownDisk,
        cluster.reads::find,
        missing ->
            onDisks(missing, version)
                .thenApply(found ->
                    found.stream()
                        .<@Nullable RemoteValue>map(each -> each == null ? null : each.value)
                        .toList()));
  }

  private <T> CompletionStage<List<@Nullable T>> ask(
      Answers<T> none,
      Function<List<byte[]>, CompletionStage<List<@Nullable T>>> ownDisk,
      Function<List<byte[]>, CompletionStage<List<@Nullable T>>> otherMemory,
      Function<List<byte[]>, CompletionStage<List<@Nullable T>>> otherDisks) {
    return none.ask(key -> ChunkKeys.isContentAddressed(key) && disk().has(key), ownDisk)
        .thenCompose(answers -> answers.ask(key -> true, otherMemory))
        .thenCompose(answers ->
            answers.ask(key -> !ChunkKeys.isContentAddressed(key) && disk().has(key), ownDisk))
        .thenCompose(answers -> answers.ask(key -> true, otherDisks))
        .thenApply(answers -> answers.known);
  }

  private CompletableFuture<List<@Nullable OnDisks>> onDisks(List<byte[]> keys, long version) {
    List<Item> items = keys.stream().map(key -> new Item(ChunkKeys.mainKey(key), version)).toList();
    Map<Node, CompletableFuture<ByteBuffer>> asked = new LinkedHashMap<>();
    cluster.members.others().stream()
        .filter(cluster.peers::responds)
        .forEach(node ->
            asked.put(
                node, CompletableFuture.supplyAsync(() -> answerOf(node, items), cluster.threads)));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
        .thenApply(all -> {
          List<@Nullable OnDisks> found = new ArrayList<>();
          for (int i = 0; i < keys.size(); i++) {
            found.add(onDisks(asked, i));
          }
          return found;
        });
  }

  private static @Nullable OnDisks onDisks(
      Map<Node, CompletableFuture<ByteBuffer>> asked, int index) {
    List<Holder> nodes = new ArrayList<>();
    RemoteValue value = null;
    for (Map.Entry<Node, CompletableFuture<ByteBuffer>> each : asked.entrySet()) {
      ByteBuffer answer = each.getValue().join();
      int at = index * NodeDisk.ANSWER_BYTES;
      long length = at < answer.limit() ? answer.getLong(at) : NodeDisk.ABSENT;
      if (length != NodeDisk.ABSENT) {
        nodes.add(new Holder(each.getKey().id(), false));
        value = new RemoteValue(length, answer.getLong(at + Long.BYTES));
      }
    }
    return value == null ? null : new OnDisks(nodes, value);
  }

  /** Returns the answer of a node about the values on its disk; empty if it does not answer. */
  private ByteBuffer answerOf(Node node, List<Item> items) {
    ByteBuffer answers = ByteBuffer.allocate(items.size() * NodeDisk.ANSWER_BYTES);
    try {
      for (List<Item> some : Message.parts(items)) {
        answers.put(cluster.peers.call(node, MessageType.ON_DISK, some, ANSWER_TIME));
      }
    } catch (TransferException silent) {
      // Then it has no more.
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    return answers.flip();
  }

  private CompletableFuture<List<@Nullable ValuePart>> readFromPeers(
      List<byte[]> keys, LongFunction<ByteRange> wanted, @Nullable String trace) {
    return onDisks(keys, 0)
        .thenCompose(found -> {
          List<CompletableFuture<@Nullable ValuePart>> parts = new ArrayList<>();
          for (int i = 0; i < keys.size(); i++) {
            byte[] key = keys.get(i);
            OnDisks each = found.get(i);
            parts.add(
                each == null
                    ? CompletableFuture.<@Nullable ValuePart>completedFuture(null)
                    : CompletableFuture.supplyAsync(
                        () -> fetch(key, each.nodes, wanted, trace), cluster.threads));
          }
          return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
              .thenApply(
                  all -> parts.stream().<@Nullable ValuePart>map(CompletableFuture::join).toList());
        });
  }

  /** Fetches a value into the read cache; returns null if no node returns it. */
  private @Nullable ValuePart fetch(
      byte[] key, List<Holder> holders, LongFunction<ByteRange> wanted, @Nullable String trace) {
    byte[] mainKey = ChunkKeys.mainKey(key);
    try {
      for (Node node :
          cluster
              .members
              .topology()
              .nearest(ValueId.of(mainKey), holders, cluster.members.self().id())) {
        Fetcher.Part part =
            cluster.reads.fetches.run(
                mainKey,
                node,
                from -> cluster.fetcher.read(from, mainKey, cluster.stores.readCache(), trace));
        ValueHeader header =
            part == null || !part.result().complete() ? null : part.result().header();
        ValueReader reader = header == null ? null : cluster.stores.readCache().get(key);
        if (reader != null && reader.version() >= version(key, header)) {
          return new ValuePart(reader, wanted.apply(reader.length()));
        }
        if (reader != null) {
          reader.close();
        }
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  /** Returns the oldest version of a value that a client may receive. */
  private static long version(byte[] key, @Nullable ValueHeader header) {
    return header == null || ChunkKeys.isContentAddressed(key) ? 0 : header.version();
  }

  @Override
  public CompletionStage<List<Boolean>> delete(List<byte[]> keys) {
    return cluster.reads.delete(keys);
  }

  @Override
  public void clearing() {
    disk().values().clearing();
  }

  @Override
  public CompletionStage<Void> clear() {
    CompletableFuture<Void> elsewhere = cluster.reads.clear().toCompletableFuture();
    // After the clear of the journal of missed changes, which the other nodes' removal
    // begins with.
    return elsewhere
        .handle((none, failure) -> failure)
        .thenCompose(failure -> disk().values().clear().thenCompose(none -> elsewhere));
  }

  @Override
  public @Nullable CompletionStage<Void> replaced(byte[] key) {
    return disk().values().replaced(key);
  }

  @Override
  public Map<String, Object> figures() {
    return disk().values().figures();
  }

  @Override
  public String notRemoved() {
    return "values may remain on other nodes, which did not answer, or on the disk, which could not"
        + " record that; send the command again";
  }

  @Override
  public void stored(long connection, byte[] key, long version) {
    cluster.reads.stored(connection, key, version);
    if (!ChunkKeys.isContentAddressed(key)) {
      cluster.missedChanges.replaced(key, version);
    }
  }

  @Override
  public CompletableFuture<Integer> await(long connection, long nodes, long millis) {
    return cluster.reads.await(connection, nodes, millis);
  }

  @Override
  public RemoteTraffic traffic() {
    return cluster.reads.traffic();
  }
}
