package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.routing.Route;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.store.ByteRange;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes on three racks, which all tests use one after the other. */
class SharedClusterTest {

  private static final List<TestNode> NODES = new ArrayList<>();
  private static final AtomicInteger TESTS = new AtomicInteger();

  @TempDir private static Path home;
  private static int seed;

  private final int test = TESTS.incrementAndGet();
  private final String key = "key-" + test;

  @BeforeAll
  static void join() throws Exception {
    seed = FreePort.any();
    for (String name : List.of("a", "b", "c")) {
      int port = NODES.isEmpty() ? seed : FreePort.any();
      NODES.add(TestNode.join(home, name, "rack-" + name, seed, port));
    }
    Awaiting.until(() -> NODES.stream().allMatch(node -> node.node.nodes().size() == 3));
  }

  @AfterAll
  static void leave() {
    NODES.forEach(TestNode::close);
  }

  /** The next test has the memory of all nodes, and other keys. */
  @AfterEach
  void clear() {
    a().clear();
  }

  private String chunk(int number) {
    return "vllm@model@1@0@%016x@half@kv_bytes".formatted(test << 8 | number);
  }

  private static TestNode a() {
    return NODES.get(0);
  }

  private static TestNode b() {
    return NODES.get(1);
  }

  private static TestNode c() {
    return NODES.get(2);
  }

  private static byte[] value(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static ValuePlace place(String key) {
    return found(key).orElseThrow();
  }

  private static Optional<ValuePlace> found(String key) {
    return a().node.find(TestNode.bytes(key)).join();
  }

  private static void awaitCopies(String key, int copies) {
    Awaiting.until(
        () -> found(key).map(place -> 1 + place.replicas().size() == copies).orElse(false));
  }

  @Test
  void everyNodeReadsWhatOneStored() {
    for (int size : new int[] {0, 1, 5_000, 200_000, 3 << 20}) {
      String key = "size-" + size;
      a().set(key, value(size, size));
      awaitCopies(key, 2);
      assertThat(place(key).primary()).isEqualTo("a");
      for (TestNode node : NODES) {
        assertThat(node.exists(key)).isTrue();
        assertThat(node.get(key)).isEqualTo(value(size, size));
      }
    }
    assertThat(b().exists("unknown")).isFalse();
    assertThat(b().get("unknown")).isNull();
  }

  /** The copy of the previous version is removed while the new one is fetched. */
  @Test
  void theReplicaOfAnOverwrittenValueIsReplacedAtOnce() {
    long before = a().node.stats().failedReplications();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 50; i++) {
        a().set("overwritten-" + i, value(round, 100_000));
      }
      Awaiting.until(() ->
          a().node.stats().pendingReplications() == 0
              && IntStream.range(0, 50)
                  .allMatch(i -> place("overwritten-" + i).replicas().size() == 1));
    }
    assertThat(a().node.stats().failedReplications()).isEqualTo(before);
  }

  @Test
  void aDeletedValueIsNowhere() {
    a().set(key, value(1, 1_000));
    awaitCopies(key, 2);
    assertThat(c().get(key)).isNotNull();
    assertThat(b().delete(key)).isTrue();
    for (TestNode node : NODES) {
      assertThat(node.get(key)).isNull();
      assertThat(node.exists(key)).isFalse();
    }
    assertThat(b().delete(key)).isFalse();
    c().set(key, value(3, 10));
    assertThat(c().get(key)).isEqualTo(value(3, 10));
    awaitCopies(key, 2);
  }

  @Test
  void aDeletedChunkIsInNoReadCache() {
    for (int i = 0; i < NODES.size(); i++) {
      String key = chunk(i);
      a().set(key, value(i, 1_000));
      awaitCopies(key, 2);
      for (TestNode node : NODES) {
        assertThat(node.get(key)).isEqualTo(value(i, 1_000));
      }
      assertThat(NODES.get(i).delete(key)).isTrue();
      for (TestNode node : NODES) {
        assertThat(node.get(key)).as("%s on %s", key, node.node.self().name()).isNull();
      }
    }
  }

  @Test
  void aValueIsDeletedBeforeItIsAnnounced() {
    for (int i = 0; i < 50; i++) {
      String key = chunk(i);
      a().set(key, value(i, 1_000));
      b().delete(key);
      assertThat(a().get(key)).as(key).isNull();
    }
  }

  @Test
  void manyReadersShareOneFetch() throws Exception {
    a().set(key, value(1, 4 << 20));
    awaitCopies(key, 2);
    TestNode reader = place(key).replicas().contains("b") ? c() : b();
    ClusterStats before = reader.node.stats();
    List<Callable<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      reads.add(() -> reader.get(key));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<byte[]> read : threads.invokeAll(reads)) {
        assertThat(read.get()).isEqualTo(value(1, 4 << 20));
      }
    }
    assertThat(reader.node.stats().fetches() - before.fetches()).isEqualTo(1);
    assertThat(reader.node.stats().remoteHits() - before.remoteHits()).isEqualTo(20);
  }

  @Test
  void aRangeIsReadWithoutTheRestOfItsValue() {
    byte[] value = value(1, 3 << 20);
    a().set(key, value);
    awaitCopies(key, 2);
    TestNode reader = place(key).replicas().contains("b") ? c() : b();
    // Where the directory is slow, a node may have a replica too many for a moment.
    Awaiting.until(() -> reader.stores.main().length(TestNode.bytes(key)) < 0);
    long before = reader.node.stats().fetchedBytes();
    for (int[] range : new int[][] {{0, 1}, {1_000, 300_000}, {(3 << 20) - 7, 3 << 20}, {5, 5}}) {
      assertThat(reader.get(key, length -> new ByteRange(range[0], range[1])))
          .isEqualTo(Arrays.copyOfRange(value, range[0], range[1]));
    }
    assertThat(reader.node.stats().fetchedBytes() - before).isEqualTo(1 + 299_000 + 7);
    assertThat(reader.stores.readCache().stats().usedBytes()).isZero();
    assertThat(reader.get(key)).isEqualTo(value);
    assertThat(reader.node.stats().fetchedBytes() - before).isEqualTo(299_008 + value.length);
    assertThat(reader.get(key, length -> new ByteRange(3, 9)))
        .isEqualTo(Arrays.copyOfRange(value, 3, 9));
    assertThat(reader.node.stats().fetchedBytes() - before).isEqualTo(299_008 + value.length);
  }

  /** The read cache has 8 MiB. */
  @Test
  void aValueLargerThanTheReadCacheIsRead() throws Exception {
    String main = chunk(1);
    byte[] value = value(1, 10 << 20);
    a().set(main, value);
    String metadata = main.replace("kv_bytes", "metadata");
    a().set(metadata, "shape".getBytes(StandardCharsets.UTF_8));
    Awaiting.until(() -> c().exists(main) && c().exists(metadata) && b().exists(main));
    assertThat(c().get(metadata)).asString().isEqualTo("shape");
    assertThat(c().get(main)).isEqualTo(value);
    assertThat(b().get(main, length -> new ByteRange(length - 9_000_000, length - 1)))
        .isEqualTo(Arrays.copyOfRange(value, value.length - 9_000_000, value.length - 1));
    List<Callable<byte[]>> reads = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      reads.add(() -> c().get(main));
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<byte[]> read : threads.invokeAll(reads)) {
        assertThat(read.get()).isEqualTo(value);
      }
    }
    assertThat(c().stores.readCache().stats().usedBytes()).isZero();
    assertThat(b().delete(main)).isTrue();
    assertThat(c().get(main)).isNull();
  }

  @Test
  void theMetadataOfAChunkIsReplicatedAndReadWithIt() {
    String main = chunk(7);
    String metadata = main.replace("kv_bytes", "metadata");
    a().set(main, value(1, 50_000));
    a().set(metadata, "shape".getBytes(StandardCharsets.UTF_8));
    awaitCopies(main, 2);
    for (TestNode node : NODES) {
      Awaiting.until(() -> node.get(metadata) != null);
      assertThat(node.get(metadata)).asString().isEqualTo("shape");
      assertThat(node.get(main)).isEqualTo(value(1, 50_000));
    }
  }

  @Test
  void aValueIsMovedToAnotherNode() {
    a().set(key, value(1, 2 << 20));
    awaitCopies(key, 2);
    long id = b().node.migrate(List.of(TestNode.bytes(key)), "c").id();
    Awaiting.until(() ->
        b().node.migrations().stream()
            .anyMatch(each -> each.id() == id && each.state() == NodeMigration.State.DONE));
    Awaiting.until(() -> place(key).primary().equals("c"));
    Awaiting.until(() -> a().stores.main().stats().keys() == 0);
    assertThat(a().get(key)).isEqualTo(value(1, 2 << 20));
  }

  @Test
  void aMoveThatFailsSaysWhy() {
    assertThat(errorOfMove("unknown")).isEqualTo("no node has the value");
    a().set("large", value(1, 10 << 20));
    Awaiting.until(() -> found("large").isPresent());
    try (ValueWriter other = c().stores.main().write(TestNode.bytes("other"), 10 << 20)) {
      other.write(ByteBuffer.allocate(10 << 20));
      assertThat(errorOfMove("large")).isEqualTo("node 'c' has no room for the value");
    }
    assertThat(a().get("large")).isEqualTo(value(1, 10 << 20));
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(() -> a().node.migrate(List.of(), "unknown"))
        .withMessageContaining("'unknown'")
        .withMessageContaining("a, b, c");
  }

  /** Waits for the end of a move to the third node, and returns its error. */
  private static String errorOfMove(String key) {
    long id = b().node.migrate(List.of(TestNode.bytes(key)), "c").id();
    List<NodeMigration> ended = new ArrayList<>();
    Awaiting.until(() -> {
      b().node.migrations().stream()
          .filter(each -> each.id() == id && each.state() != NodeMigration.State.COPYING)
          .forEach(ended::add);
      return !ended.isEmpty();
    });
    return ended.getFirst().error();
  }

  @Test
  void aRequestIsRoutedToTheLongestPrefix() {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String key = chunk(i);
      (i < 5 ? b() : c()).set(key, value(i, 1_000));
      awaitCopies(key, 2);
      keys.add(TestNode.bytes(key));
    }
    Route best = a().node.route(keys, 256).join().getFirst();
    assertThat(best.node()).extracting(Node::name).isIn("a", "b", "c");
    assertThat(best.prefixKeys()).isBetween(1, 8);
    assertThat(best.tokensSaved()).isEqualTo(best.prefixKeys() * 256L);
  }

  @Test
  void everythingCanBeCleared() {
    a().set(key, value(1, 10));
    b().set("other", value(2, 10));
    awaitCopies(key, 2);
    awaitCopies("other", 2);
    a().stores.main().clear();
    a().node.remoteValues().clear().toCompletableFuture().join();
    for (TestNode node : NODES) {
      assertThat(node.get(key)).isNull();
      assertThat(node.get("other")).isNull();
    }
  }

  @Test
  void aSecondNodeOfTheSameNameDoesNotStart() {
    assertThatExceptionOfType(UserError.class)
        .isThrownBy(() -> TestNode.join(home, "b", "rack-d", seed, FreePort.any()))
        .withMessageContaining("'b'")
        .withMessageContaining("ebb.cluster.node");
  }
}
