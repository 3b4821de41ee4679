package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.NodeState;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes without replicas. What one of them has is more than the other's memory for these. */
class DrainTransferTest {

  private static final int VALUES = 50;
  private static final int BYTES = 200_000;

  @TempDir private Path home;

  private static byte[] value(int seed) {
    byte[] bytes = new byte[BYTES];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private TestNode join(String name, int seed, int port) {
    return TestNode.join(home, name, "rack-" + name, seed, port, 16 << 20, "replicas = 0");
  }

  @Test
  void whatReplicasHaveNoRoomForMovesToFreeMainStores() {
    int seed = FreePort.any();
    try (TestNode a = join("a", seed, seed);
        TestNode b = join("b", seed, FreePort.any())) {
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
}
