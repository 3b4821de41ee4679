package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.cluster.message.Message;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes on three racks. */
class ClusterNodesTest {

  private static final String CHUNK = "vllm@model@1@0@%016x@half@kv_bytes";

  @TempDir private Path home;
  private final List<TestNode> nodes = new ArrayList<>();
  private int seed;

  @BeforeEach
  void join() throws Exception {
    seed = FreePort.any();
    for (String name : List.of("a", "b", "c")) {
      int port = nodes.isEmpty() ? seed : FreePort.any();
      nodes.add(TestNode.join(home, name, "rack-" + name, seed, port));
    }
    Awaiting.until(() -> nodes.stream().allMatch(node -> node.node.nodes().size() == 3));
  }

  @AfterEach
  void leave() {
    nodes.forEach(TestNode::close);
  }

  private TestNode a() {
    return nodes.get(0);
  }

  private TestNode b() {
    return nodes.get(1);
  }

  private TestNode c() {
    return nodes.get(2);
  }

  private static byte[] value(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private ValuePlace place(String key) {
    return found(key).orElseThrow();
  }

  private Optional<ValuePlace> found(String key) {
    return a().node.find(TestNode.bytes(key)).join();
  }

  private void awaitCopies(String key, int copies) {
    Awaiting.until(
        () -> found(key).map(place -> 1 + place.replicas().size() == copies).orElse(false));
  }

  @Test
  void theNewestValueIsReadEverywhere() {
    a().set("key", value(1, 1_000));
    awaitCopies("key", 2);
    assertThat(c().get("key")).isEqualTo(value(1, 1_000));
    b().set("key", value(2, 2_000));
    Awaiting.until(() -> place("key").primary().equals("b") && place("key").replicas().size() == 1);
    Awaiting.until(() -> Arrays.equals(a().get("key"), value(2, 2_000)));
    assertThat(c().get("key")).isEqualTo(value(2, 2_000));
    assertThat(b().get("key")).isEqualTo(value(2, 2_000));
  }

  @Test
  void noReplicatedValueIsLostWithItsNode() {
    for (int i = 0; i < 200; i++) {
      a().set(CHUNK.formatted(i), value(i, 10_000));
    }
    for (int i = 0; i < 200; i++) {
      awaitCopies(CHUNK.formatted(i), 2);
    }
    nodes.removeFirst().close();
    Awaiting.until(() -> nodes.stream().allMatch(node -> node.node.nodes().size() == 2));
    for (int i = 0; i < 200; i++) {
      for (TestNode node : nodes) {
        assertThat(node.get(CHUNK.formatted(i))).isEqualTo(value(i, 10_000));
      }
    }
    for (int i = 0; i < 200; i++) {
      awaitCopies(CHUNK.formatted(i), 2);
    }
  }

  /** The memory for replicas of both other nodes is full before the last values are stored. */
  @Test
  void replicasOfNewValuesReplaceOthers() throws Exception {
    int stored = 0;
    for (TestNode other : List.of(b(), c())) {
      while (other.stores.replicas().stats().evicted() == 0) {
        assertThat(stored).isLessThan(100);
        a().set("filling-" + stored, value(stored, 1 << 20));
        awaitCopies("filling-" + stored++, 2);
      }
    }
    // Nodes say every second how much room they have.
    Thread.sleep(2_500);
    for (int i = 0; i < 10; i++) {
      a().set("new-" + i, value(i, 1 << 20));
      awaitCopies("new-" + i, 2);
    }
  }

  /** As the last node of two, or of three: nobody else can be asked. */
  @Test
  void aReplicaIsFoundWhereItIsTheOnlyCopy() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      keys.add(i % 2 == 0 ? CHUNK.formatted(i) : "plain-" + i);
      a().set(keys.get(i), value(i, 3_000));
    }
    keys.forEach(key -> awaitCopies(key, 2));
    List<String> replicas =
        keys.stream().filter(key -> place(key).replicas().contains("b")).toList();
    assertThat(replicas).isNotEmpty();
    nodes.remove(2).close();
    nodes.remove(0).close();
    TestNode last = nodes.getFirst();
    Awaiting.until(() -> last.node.nodes().size() == 1);

    for (String key : replicas) {
      assertThat(last.exists(key)).as(key).isTrue();
      assertThat(last.get(key)).as(key).isEqualTo(value(keys.indexOf(key), 3_000));
      assertThat(last.delete(key)).as(key).isTrue();
      assertThat(last.exists(key)).as(key).isFalse();
    }
  }

  @Test
  void aDrainedNodeHoldsNothing() {
    for (int i = 0; i < 50; i++) {
      b().set(CHUNK.formatted(i), value(i, 10_000));
    }
    a().node.drain("b");
    Awaiting.until(() -> b().node.self().state() == NodeState.DRAINED);
    assertThat(b().stores.main().stats().keys()).isZero();
    for (int i = 0; i < 50; i++) {
      assertThat(c().get(CHUNK.formatted(i))).isEqualTo(value(i, 10_000));
      assertThat(b().get(CHUNK.formatted(i))).isEqualTo(value(i, 10_000));
    }
    c().node.activate("b");
    Awaiting.until(() -> b().node.self().state() == NodeState.ACTIVE);
  }

  @Test
  void anActivatedNodeDoesNotEndItsDrain() {
    a().node.drain("b");
    a().node.activate("b");
    assertThat(b().node.local.endDrain()).isFalse();
    assertThat(b().node.self().state()).isEqualTo(NodeState.ACTIVE);
  }

  /** What it has goes, so that others must keep theirs, even if they do not see its state yet. */
  @Test
  void aDrainingNodeDoesNotSayThatItHoldsAValue() throws Exception {
    b().set("key", value(1, 1_000));
    awaitCopies("key", 2);
    List<Message.Item> items = List.of(new Message.Item(TestNode.bytes("key"), 0));
    int id = b().node.self().id();
    assertThat(a().node.peers.held(id, items)).containsExactly(1);
    c().node.drain("b");
    assertThat(a().node.peers.held(id, items)).containsExactly(0);
  }

  @Test
  void aDrainMovesValuesThatAreTooLargeForReplicas() {
    b().set("large", value(1, 10 << 20));
    Awaiting.until(() -> found("large").isPresent());
    a().node.drain("b");
    Awaiting.until(() -> b().node.self().state() == NodeState.DRAINED);
    assertThat(place("large").primary()).isNotEqualTo("b");
    assertThat(b().get("large")).isEqualTo(value(1, 10 << 20));
  }

  @Test
  void aDrainWaitsForRoomForALargeValue() {
    a().set("first", value(1, 10 << 20));
    c().set("second", value(2, 10 << 20));
    b().set("third", value(3, 10 << 20));
    Awaiting.until(() -> found("third").isPresent());
    a().node.drain("b");
    Awaiting.until(() -> b().node.self().state() == NodeState.DRAINING);
    c().delete("second");
    Awaiting.until(() -> b().node.self().state() == NodeState.DRAINED);
    assertThat(place("third").primary()).isEqualTo("c");
    assertThat(b().get("third")).isEqualTo(value(3, 10 << 20));
    assertThat(b().get("first")).isEqualTo(value(1, 10 << 20));
  }

  @Test
  void aDrainEndsWithoutRoomAndKeepsWhatDidNotFit() {
    int values = 60;
    for (int i = 0; i < values; i++) {
      for (TestNode node : nodes) {
        node.set(node.node.self().name() + i, value(i, 200_000));
      }
    }
    Awaiting.until(() -> nodes.stream().allMatch(ClusterNodesTest::isFull));
    a().node.drain("b");
    Awaiting.until(() -> b().node.self().state() == NodeState.DRAINED);

    long left = b().node.self().values();
    assertThat(left).isBetween(1L, (long) values);
    assertThat(nodes).allMatch(node -> node.stores.main().stats().evicted() == 0);
    for (int i = 0; i < values; i++) {
      assertThat(a().get("b" + i)).isEqualTo(value(i, 200_000));
    }
    // Some of what it kept leaves when there is room.
    for (int i = 0; i < values; i++) {
      a().delete("a" + i);
      c().delete("c" + i);
    }
    Awaiting.until(() -> b().node.self().values() < left);
    for (int i = 0; i < values; i++) {
      assertThat(a().get("b" + i)).isEqualTo(value(i, 200_000));
    }
  }

  /** Returns whether all replicas are made for which there is memory. */
  private static boolean isFull(TestNode node) {
    ClusterStats stats = node.node.stats();
    return stats.pendingReplications() == 0
        && stats.announcements() == 0
        && node.stores.replicas().stats().usedBytes() > 7 << 20;
  }

  @Test
  void everyNodeKnowsTheSettingsOfTheOthers() {
    String settings = "replicas = 2, on-evict = drop";
    int port = FreePort.any();
    nodes.add(TestNode.join(home, "d", "rack-d", seed, port, 16 << 20, settings));
    Awaiting.until(
        () -> a().node.nodes().stream().anyMatch(node -> node.settings().startsWith(settings)));
    assertThat(a().node.self().settings())
        .isEqualTo("replicas = 1, on-evict = keep-replica, tls.values = false, disk tier = false")
        .isEqualTo(b().node.self().settings());
  }
}
