package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes. The directory does not answer one of them, as while it moves to a new node. */
class SlowDirectoryTest {

  private static final int VALUES = 50;

  @TempDir private Path home;

  @Test
  void newValuesAreReplicatedWithoutItAndSurviveTheirNode() throws Exception {
    CompletableFuture<Void> start = new CompletableFuture<>();
    int seed = FreePort.any();
    try (TestNode b = TestNode.join(home, "b", "rack-b", seed, seed)) {
      try (TestNode a =
          TestNode.join(
              home,
              "a",
              "rack-a",
              seed,
              FreePort.any(),
              directory ->
                  new WaitingDirectory(directory, WaitingDirectory.NOTHING, () -> start))) {
        Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
        for (int i = 0; i < VALUES; i++) {
          store(a, i);
        }
        assertThat(a.node.remoteValues().await(1, 1, 0).join()).isOne();
      }
      Awaiting.until(() -> b.node.nodes().size() == 1);
      for (int i = 0; i < VALUES; i++) {
        String key = "key" + i;
        Awaiting.until(() -> b.get(key) != null);
        assertThat(b.get(key)).containsExactly(i);
      }
    }
  }

  /** A node that checks its replicas can evict them for a new value meanwhile. */
  @Test
  void aNodeThatWaitsForItMakesReplicas() {
    AtomicReference<Supplier<CompletableFuture<Void>>> reads =
        new AtomicReference<>(WaitingDirectory.NOTHING);
    int seed = FreePort.any();
    try (TestNode a = TestNode.join(home, "a", "rack-a", seed, seed);
        TestNode b =
            TestNode.join(
                home,
                "b",
                "rack-b",
                seed,
                FreePort.any(),
                directory ->
                    new WaitingDirectory(
                        directory, () -> reads.get().get(), WaitingDirectory.NOTHING))) {
      Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
      for (int i = 0; b.stores.replicas().stats().evicted() == 0; i++) {
        a.set("filling" + i, new byte[1 << 20]);
        assertThat(a.node.remoteValues().await(1, 1, 0).join()).isOne();
      }
      Awaiting.until(() -> b.node.stats().announcements() == 0);
      CompletableFuture<Void> asked = new CompletableFuture<>();
      CompletableFuture<Void> answer = new CompletableFuture<>();
      reads.set(() -> {
        asked.complete(null);
        return answer;
      });
      try {
        b.node.changedKeys.addAll(CheckReason.RECHECKED);
        asked.join();
        a.set("new", new byte[1 << 20]);
        assertThat(a.node.remoteValues().await(1, 1, 20_000).join()).isOne();
      } finally {
        answer.complete(null);
      }
    }
  }

  @Test
  void theLagCountsValuesThatNoNodeHasBeenOffered() throws Exception {
    CompletableFuture<Void> start = new CompletableFuture<>();
    int seed = FreePort.any();
    try (TestNode a =
        TestNode.join(
            home,
            "a",
            "rack-a",
            seed,
            seed,
            directory -> new WaitingDirectory(directory, WaitingDirectory.NOTHING, () -> start))) {
      store(a, 0);
      Awaiting.until(() -> a.node.stats().replicationLagMillis() > 0);
      start.complete(null);
      // No other node exists, so that nothing is behind.
      Awaiting.until(() -> a.node.stats().replicationLagMillis() == 0);
    }
  }

  private static void store(TestNode node, int i) {
    byte[] key = TestNode.bytes("key" + i);
    node.set("key" + i, new byte[] {(byte) i});
    try (ValueReader reader = node.stores.main().open(key)) {
      assertThat(reader).isNotNull();
      node.node.remoteValues().stored(1, key, reader.version());
    }
  }
}
