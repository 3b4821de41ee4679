package dev.ebb.host.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.Change.Deleted;
import dev.ebb.host.cluster.directory.Change.Held;
import dev.ebb.host.cluster.directory.Change.Released;
import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.Holder;
import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.config.server.ClusterConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class InfinispanClusterTest {

  @TempDir Path home;

  @Test
  void threeNodesShareOneDirectory() {
    try (Nodes nodes = new Nodes(home, "").start(3)) {
      ValueId id = id("a");
      DirectoryEntry entry = Objects.requireNonNull(apply(nodes.get(0), id, held(7, 1)));

      assertThat(entry.holders()).containsExactly(new Holder(7, false));
      assertThat(nodes.get(1).directory().get(List.of(id, id("missing"))).join())
          .isEqualTo(Map.of(id, entry));
      assertThat(apply(nodes.get(2), id, new Released(7, true, Set.of()))).isNull();
      assertThat(nodes.get(1).directory().get(List.of(id)).join()).isEmpty();
      assertThat(apply(nodes.get(2), id, new Deleted(5)))
          .isEqualTo(DirectoryEntry.tombstone(5, List.of()));
      assertThat(apply(nodes.get(1), id, held(7, 5)))
          .isEqualTo(DirectoryEntry.tombstone(5, List.of(7)));
      nodes.get(1).directory().clear().join();
      assertThat(nodes.get(2).directory().get(List.of(id)).join()).isEmpty();
    }
  }

  @Test
  void concurrentUpdatesOfOneEntryFromAllNodesLoseNothing() {
    try (Nodes nodes = new Nodes(home, "").start(3)) {
      ValueId id = id("a");
      List<CompletableFuture<?>> updates = new ArrayList<>();
      for (int holder = 0; holder < 300; holder++) {
        Map<ValueId, Change> changes = new HashMap<>(Map.of(id, held(holder, 1)));
        changes.put(id("other" + holder % 7), held(holder, 1));
        updates.add(nodes.get(holder % 3).directory().update(changes));
      }
      updates.forEach(CompletableFuture::join);

      DirectoryEntry entry = nodes.get(0).directory().get(List.of(id)).join().get(id);
      assertThat(Objects.requireNonNull(entry).holders()).hasSize(300);
    }
  }

  @Test
  void entriesSurviveNodesThatLeaveAndMoveToNodesThatJoin() {
    try (Nodes nodes = new Nodes(home, "").start(2)) {
      Map<ValueId, Change> changes = new HashMap<>();
      for (int i = 0; i < 500; i++) {
        changes.put(id("key" + i), held(i, 1));
      }
      Map<ValueId, DirectoryEntry> all = nodes.get(0).directory().update(changes).join();
      assertThat(all).hasSize(500);
      BlockingQueue<Boolean> lost = new LinkedBlockingQueue<>();
      nodes.get(1).membership().listen(lost::add);

      nodes.start("n2");
      nodes.awaitMembers(3);
      nodes.stop("n0");
      nodes.awaitMembers(2);
      nodes.start("n3");
      nodes.awaitMembers(3);
      nodes.stop("n1");
      nodes.awaitMembers(2);

      assertThat(nodes.get(3).directory().get(changes.keySet()).join()).isEqualTo(all);
      Awaiting.until(() -> nodes.get(2).directory().size() == 500);
      assertThat(lost).isNotEmpty().doesNotContain(true);
    }
  }

  /** Infinispan loses a few changes at some owners while entries move between nodes. */
  @Test
  void theOwnersOfEachEntryAgreeAfterARepair() throws Exception {
    try (Nodes nodes = new Nodes(home, "").start(3)) {
      List<ValueId> ids = IntStream.range(0, 2_000).mapToObj(i -> id("key" + i)).toList();
      AtomicBoolean ended = new AtomicBoolean();
      List<CompletableFuture<?>> writers = new ArrayList<>();
      for (int writer = 0; writer < 2; writer++) {
        InfinispanCluster node = nodes.get(writer);
        Random random = new Random(writer);
        writers.add(
            CompletableFuture.runAsync(() -> {
              for (int holder = 0; !ended.get(); holder++) {
                update(node, List.of(ids.get(random.nextInt(ids.size()))), immutable(holder, 1));
              }
            }));
      }
      for (int round = 0; round < 2; round++) {
        nodes.start("n3");
        nodes.awaitMembers(4);
        nodes.stop("n2");
        nodes.awaitMembers(3);
        nodes.start("n2");
        nodes.awaitMembers(4);
        nodes.stop("n3");
        nodes.awaitMembers(3);
      }
      ended.set(true);
      writers.forEach(CompletableFuture::join);
      Awaiting.until(() -> nodes.get(0).replicated());

      Directory directory = nodes.get(0).directory();
      Set<ValueId> repaired = directory.repair(ids).join();

      assertThat(ids).containsAll(repaired);
      assertThat(directory.repair(ids).join()).isEmpty();
      Map<ValueId, DirectoryEntry> entries = directory.get(ids).join();
      assertThat(nodes.get(1).directory().get(ids).join()).isEqualTo(entries);
      assertThat(nodes.get(2).directory().get(ids).join()).isEqualTo(entries);
    }
  }

  @Test
  void healedPartitionsMergeTheirEntries() throws InterruptedException {
    try (Nodes nodes = new Nodes(home, "").start(3)) {
      List<ValueId> ids = IntStream.range(0, 50).mapToObj(i -> id("key" + i)).toList();
      update(nodes.get(0), ids.subList(0, 20), held(1, 1));
      update(nodes.get(0), ids.subList(30, 50), held(1, 1));
      BlockingQueue<Boolean> lost = new LinkedBlockingQueue<>();
      nodes.get(0).membership().listen(lost::add);
      nodes.partition(2);
      Awaiting.until(() -> nodes.get(0).membership().nodes().size() == 2);
      Awaiting.until(() -> nodes.get(2).membership().nodes().size() == 1);

      update(nodes.get(0), ids.subList(0, 10), held(2, 5));
      update(nodes.get(2), ids.subList(0, 10), held(3, 3));
      update(nodes.get(2), ids.subList(10, 20), new Deleted(7));
      update(nodes.get(0), ids.subList(20, 30), immutable(4, 2));
      update(nodes.get(2), ids.subList(20, 30), immutable(5, 3));
      update(nodes.get(2), ids.subList(30, 40), held(6, 9));
      nodes.heal();
      nodes.awaitMembers(3);
      while (!lost.take()) {
        // Other changes of the members come first.
      }

      for (int node = 0; node < 3; node++) {
        Map<ValueId, DirectoryEntry> found = nodes.get(node).directory().get(ids).join();
        assertThat(found).hasSize(50);
        assertHolders(found, ids.subList(0, 10), 2);
        assertHolders(found, ids.subList(10, 20));
        assertHolders(found, ids.subList(20, 30), 4, 5);
        assertHolders(found, ids.subList(30, 40), 6);
        assertHolders(found, ids.subList(40, 50), 1);
      }
    }
  }

  @Test
  void aNameThatAnotherNodeHasIsRefused() {
    try (Nodes nodes = new Nodes(home, "").start(1)) {
      assertThatThrownBy(
              () -> InfinispanCluster.start(nodes.config(nodes.port(1), "r"), Nodes.node("n0")))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'n0'")
          .hasMessageContaining("ebb.cluster.node");

      nodes.awaitMembers(1);
    }
  }

  @Test
  void anAddressThatCannotBeUsedIsReported() throws IOException {
    Nodes nodes = new Nodes(home, "");
    try (ServerSocket used = new ServerSocket(nodes.port(0), 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> nodes.start("n0"))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'127.0.0.1:%d'".formatted(used.getLocalPort()))
          .hasMessageContaining("ebb.cluster.port");
    }
    for (String bind : List.of("192.0.2.1", "0.0.0.0", "no.such.host.invalid")) {
      Nodes elsewhere = new Nodes(home, "bind = \"%s\", secret = sixteen-and-more".formatted(bind));
      assertThatThrownBy(() -> elsewhere.start("n0"))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'%s'".formatted(bind))
          .hasMessageContaining("127.0.0.1");
    }
  }

  @Test
  void entriesSurviveAKilledProcess() throws Exception {
    try (Nodes nodes = new Nodes(home, "secret = sixteen-and-more-3").start(1)) {
      Process killed = nodes.startProcess("n1");
      nodes.startProcess("n2");
      nodes.awaitMembers(3);
      List<ValueId> ids = IntStream.range(0, 500).mapToObj(i -> id("key" + i)).toList();
      update(nodes.get(0), ids, held(1, 1));
      BlockingQueue<Boolean> lost = new LinkedBlockingQueue<>();
      nodes.get(0).membership().listen(lost::add);

      killed.destroyForcibly().waitFor();
      update(nodes.get(0), ids, held(2, 1));
      nodes.awaitMembers(2);

      assertThat(nodes.get(0).membership().nodes())
          .extracting(Node::name)
          .containsExactly("n0", "n2");
      // Changes of that time can be missing at some owners, until the nodes check their values.
      Awaiting.until(() -> nodes.get(0).replicated());
      nodes.get(0).directory().repair(ids).join();
      assertThat(nodes.get(0).directory().get(ids).join().values())
          .hasSize(500)
          .allMatch(entry -> entry.nodes().contains(1));
      update(nodes.get(0), ids, held(2, 1));
      assertHolders(nodes.get(0).directory().get(ids).join(), ids, 1, 2);
      assertThat(lost).doesNotContain(true);

      nodes.startProcess("n1");
      nodes.awaitMembers(3);
    }
  }

  @Test
  @Tag("stress")
  void aPausedProcessIsExcludedAndComesBackWithItsEntries() throws Exception {
    try (Nodes nodes = new Nodes(home, "secret = sixteen-and-more-3").start(2)) {
      Process paused = nodes.startProcess("n2");
      nodes.awaitMembers(3);
      List<ValueId> ids = IntStream.range(0, 500).mapToObj(i -> id("key" + i)).toList();
      update(nodes.get(0), ids, held(1, 1));
      BlockingQueue<Boolean> lost = new LinkedBlockingQueue<>();
      nodes.get(0).membership().listen(lost::add);

      signal(paused, "STOP");
      nodes.awaitMembers(2);
      update(nodes.get(0), ids, held(2, 1));
      signal(paused, "CONT");
      nodes.awaitMembers(3);
      while (!lost.take()) {
        // Other changes of the members come first.
      }

      Map<ValueId, DirectoryEntry> found = nodes.get(1).directory().get(ids).join();
      assertThat(found).hasSize(500);
      assertHolders(found, ids, 1, 2);
    }
  }

  @Test
  void entriesAreReadWhileAnOwnerIsPaused() throws Exception {
    try (Nodes nodes = new Nodes(home, "secret = sixteen-and-more-3").start(2)) {
      Process paused = nodes.startProcess("n2");
      nodes.awaitMembers(3);
      List<ValueId> ids = IntStream.range(0, 500).mapToObj(i -> id("key" + i)).toList();
      update(nodes.get(0), ids, held(1, 1));

      signal(paused, "STOP");
      assertThat(nodes.get(0).directory().get(ids).join()).hasSize(500);
      assertThat(nodes.get(1).directory().get(ids).join()).hasSize(500);
    }
  }

  private static void signal(Process process, String name) throws Exception {
    String pid = String.valueOf(process.pid());
    assertThat(new ProcessBuilder("kill", "-" + name, pid).start().waitFor()).isZero();
  }

  @Test
  void aLossOfAllOwnersOfAnEntryIsReported() throws InterruptedException {
    try (Nodes nodes = new Nodes(home, "").start(4)) {
      BlockingQueue<Boolean> lost = new LinkedBlockingQueue<>();
      nodes.get(0).membership().listen(lost::add);

      nodes.partition(1, 2);
      while (!lost.take()) {
        // Other changes of the members come first.
      }

      assertThat(nodes.get(0).membership().nodes())
          .extracting(Node::name)
          .containsExactly("n0", "n3");
    }
  }

  @Test
  void aNodeWithAnotherSecretIsRefused() {
    refuses("secret = another-one-of-sixteen");
  }

  @Test
  @Tag("stress")
  void aNodeWithoutTheSecretOrWithAnotherClusterNameIsRefused() {
    refuses("secret = \"\"");
    refuses("secret = sixteen-and-more-3, name = x");
  }

  private void refuses(String settings) {
    try (Nodes nodes = new Nodes(home, "secret = sixteen-and-more-3").start(2)) {
      ClusterConfig config = new Nodes(home, settings).config(FreePort.any(), "r", nodes.port(0));

      assertThatThrownBy(() -> InfinispanCluster.start(config, Nodes.node("n9")))
          .isInstanceOf(UserError.class)
          .hasMessageContaining("'127.0.0.1:%d'".formatted(nodes.port(0)))
          .hasMessageContaining("ebb.cluster.secret");
      assertThat(apply(nodes.get(1), id("a"), held(1, 1))).isNotNull();
      assertThat(nodes.get(0).membership().nodes()).hasSize(2);
    }
  }

  private static @Nullable DirectoryEntry apply(InfinispanCluster node, ValueId id, Change change) {
    return node.directory().update(Map.of(id, change)).join().get(id);
  }

  private static void update(InfinispanCluster node, List<ValueId> ids, Change change) {
    Map<ValueId, Change> changes = new HashMap<>();
    ids.forEach(id -> changes.put(id, change));
    node.directory().update(changes).join();
  }

  private static void assertHolders(
      Map<ValueId, DirectoryEntry> found, List<ValueId> ids, Integer... nodes) {
    for (ValueId id : ids) {
      DirectoryEntry entry = Objects.requireNonNull(found.get(id));
      assertThat(entry.deleted()).isEqualTo(nodes.length == 0);
      assertThat(entry.holders()).extracting(Holder::node).containsExactlyInAnyOrder(nodes);
    }
  }

  private static Change immutable(int node, long version) {
    return new Held(new Holder(node, false), version, 100, 5, Long.MAX_VALUE, true, Set.of());
  }

  static ValueId id(String key) {
    return ValueId.of(key.getBytes(StandardCharsets.UTF_8));
  }

  static Change held(int node, long version) {
    return new Held(new Holder(node, false), version, 100, 5, Long.MAX_VALUE, false, Set.of());
  }
}
