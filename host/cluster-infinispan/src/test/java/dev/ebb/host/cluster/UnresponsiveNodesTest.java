package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Node;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes. The transfer port of one of them accepts connections and never answers. */
class UnresponsiveNodesTest {

  private static final int VALUES = 20;

  @TempDir private Path home;
  private final List<TestNode> nodes = new ArrayList<>();
  private ServerSocket silent;

  @BeforeEach
  void join() throws Exception {
    silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    int seed = FreePort.any();
    for (String name : List.of("a", "b", "c")) {
      int port = nodes.isEmpty() ? seed : FreePort.any();
      nodes.add(
          TestNode.join(home, name, "rack-" + name, seed, port, 16 << 20, "request-timeout = 1 s"));
    }
    Awaiting.until(() -> nodes.stream().allMatch(node -> node.node.nodes().size() == 3));
    for (int i = 0; i < VALUES; i++) {
      nodes.getFirst().set("key" + i, new byte[] {(byte) i});
    }
    for (int i = 0; i < VALUES; i++) {
      byte[] key = TestNode.bytes("key" + i);
      Awaiting.until(() ->
          nodes
              .get(1)
              .node
              .find(key)
              .join()
              .map(place -> place.replicas().size() == 1)
              .orElse(false));
    }
  }

  @AfterEach
  void leave() throws Exception {
    nodes.forEach(TestNode::close);
    silent.close();
  }

  private static void usePort(TestNode node, int port) {
    Node now = node.node.self();
    node.node.membership.publish(
        new Node(
            now.name(),
            now.id(),
            now.rack(),
            now.zone(),
            now.host(),
            port,
            now.resp(),
            now.admin(),
            now.state(),
            now.capacityBytes(),
            now.usedBytes(),
            now.replicaCapacityBytes(),
            now.replicaUsedBytes(),
            now.commandsPerSecond(),
            now.clock(),
            0,
            ""));
  }

  private void awaitPort(int port) {
    Awaiting.until(() ->
        nodes.stream()
            .allMatch(node ->
                node.node.nodes().stream()
                    .anyMatch(each -> each.name().equals("a") && each.transferPort() == port)));
  }

  @Test
  void valuesAreReadFromAnotherHolderAndRemoved() {
    TestNode a = nodes.getFirst();
    int port = a.node.self().transferPort();
    usePort(a, silent.getLocalPort());
    awaitPort(silent.getLocalPort());

    for (TestNode reader : nodes.subList(1, 3)) {
      for (int i = 0; i < VALUES; i++) {
        assertThat(reader.get("key" + i)).containsExactly(i);
      }
      assertThat(reader.node.stats().failedFetches()).isLessThan(2);
    }
    assertThat(nodes.get(1).delete("key0")).isTrue();
    assertThat(nodes.get(2).get("key0")).isNull();

    usePort(a, port);
    Awaiting.until(() -> a.stores.main().get(TestNode.bytes("key0")) == null);
  }
}
