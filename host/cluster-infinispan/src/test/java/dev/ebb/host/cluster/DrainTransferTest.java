package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that drain and have more than the others' memory for replicas. */
class DrainTransferTest {

  private static final int VALUES = 50;
  private static final int MORE_VALUES = 110;
  private static final int BYTES = 200_000;

  @TempDir private Path home;

  private static byte[] value(int seed) {
    byte[] bytes = new byte[BYTES];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private TestNode join(String name, int seed, int port, int replicas) {
    return TestNode.join(
        home, name, "rack-" + name, seed, port, 32 << 20, "replicas = " + replicas);
  }

  @Test
  void whatReplicasHaveNoRoomForMovesToFreeMainStores() {
    int seed = FreePort.any();
    try (TestNode a = join("a", seed, seed, 0);
        TestNode b = join("b", seed, FreePort.any(), 0)) {
      Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
      for (int i = 0; i < VALUES; i++) {
        b.set("key" + i, value(i));
      }
      a.node.drain("b");
      Awaiting.until(() -> b.node.self().state() == NodeState.DRAINED);

      assertThat(b.stores.main().stats().keys()).isZero();
      StoreStats main = a.stores.main().stats();
      assertThat(main.keys()).isPositive();
      assertThat(main.evicted()).isZero();
      for (int i = 0; i < VALUES; i++) {
        assertThat(a.get("key" + i)).isEqualTo(value(i));
      }
    }
  }

  /** Their replicas would evict those that have become the only copies. */
  @Test
  void valuesThatMoveAreNotNew() {
    int seed = FreePort.any();
    try (TestNode a = join("a", seed, seed, 1);
        TestNode b = join("b", seed, FreePort.any(), 1);
        TestNode c = join("c", seed, FreePort.any(), 1)) {
      Awaiting.until(
          () -> List.of(a, b, c).stream().allMatch(each -> each.node.nodes().size() == 3));
      for (int i = 0; i < MORE_VALUES; i++) {
        c.set("key" + i, value(i));
      }
      a.node.drain("c");
      Awaiting.until(() -> c.node.self().state() == NodeState.DRAINED);

      for (int i = 0; i < MORE_VALUES; i++) {
        assertThat(a.get("key" + i)).as("key%d", i).isEqualTo(value(i));
      }
    }
  }
}
