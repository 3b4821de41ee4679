package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node with a small pool beside one with a large pool. */
class EvictionOffloadTest {

  private static final int VALUES = 400;
  private static final int BYTES = 30_000;

  @TempDir private Path home;

  private static byte[] value(int seed) {
    byte[] bytes = new byte[BYTES];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Test
  void aFullNodeMovesWhatItEvictsToOneWithRoom() {
    int seed = FreePort.any();
    try (TestNode small = TestNode.join(home, "small", "r1", seed, seed, 4 << 20, "replicas = 0");
        TestNode large =
            TestNode.join(home, "large", "r2", seed, FreePort.any(), 64 << 20, "replicas = 0")) {
      Awaiting.until(() -> small.node.nodes().size() == 2 && large.node.nodes().size() == 2);
      // Nodes learn each other's free memory once a second.
      Awaiting.until(() -> small.node.offload.hasTarget());
      for (int i = 0; i < VALUES; i++) {
        small.set("key-" + i, value(i));
        // Stored faster than values are moved, some of them would be lost.
        Awaiting.until(() -> small.stores.main().stats().reading() == 0);
      }
      Awaiting.until(() -> small.stores.main().stats().reading() == 0);
      long here = small.stores.main().stats().keys();
      long moved = small.node.stats().movedValues();
      assertThat(small.stores.main().stats().evicted()).isPositive();
      assertThat(moved).isPositive();
      assertThat(small.node.stats().notMovedValues())
          .isEqualTo(small.stores.main().stats().evicted() - moved);
      assertThat(large.stores.main().stats().keys()).isEqualTo(moved);
      Awaiting.until(() -> readable(small) == here + moved);
    }
  }

  private static long readable(TestNode node) {
    long found = 0;
    for (int i = 0; i < VALUES; i++) {
      byte[] read = node.get("key-" + i);
      if (read != null) {
        assertThat(read).isEqualTo(value(i));
        found++;
      }
    }
    return found;
  }
}
