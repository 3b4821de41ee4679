package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.Change;
import dev.ebb.host.cluster.directory.Directory;
import dev.ebb.host.cluster.directory.DirectoryEntry;
import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.placement.CheckReason;
import dev.ebb.host.store.ValueReader;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes. The directory does not answer one of them, as while it moves to a new node. */
class SlowDirectoryTest {

  private static final int VALUES = 50;

  @TempDir private Path home;

  /** A directory whose reads and changes wait. */
  private record Slow(
      Directory directory, Supplier<CompletableFuture<Void>> reads, CompletableFuture<Void> start)
      implements Directory {

    /** A directory whose changes wait. */
    Slow(Directory directory, CompletableFuture<Void> start) {
      this(directory, () -> CompletableFuture.completedFuture(null), start);
    }

    @Override
    public CompletableFuture<Map<ValueId, DirectoryEntry>> get(Collection<ValueId> ids) {
      return reads.get().thenCompose(_ -> directory.get(ids));
    }

    @Override
    public CompletableFuture<Map<ValueId, DirectoryEntry>> update(Map<ValueId, Change> changes) {
      return start.thenCompose(_ -> directory.update(changes));
    }

    @Override
    public CompletableFuture<Set<ValueId>> repair(Collection<ValueId> ids) {
      return directory.repair(ids);
    }

    @Override
    public int segments() {
      return directory.segments();
    }

    @Override
    public Map<ValueId, DirectoryEntry> owned(int segment) {
      return directory.owned(segment);
    }

    @Override
    public CompletableFuture<Void> clear() {
      return directory.clear();
    }

    @Override
    public long size() {
      return directory.size();
    }
  }

  @Test
  void newValuesAreReplicatedWithoutItAndSurviveTheirNode() throws Exception {
    CompletableFuture<Void> start = new CompletableFuture<>();
    int seed = FreePort.any();
    try (TestNode b = TestNode.join(home, "b", "rack-b", seed, seed)) {
      try (TestNode a =
          TestNode.join(
              home, "a", "rack-a", seed, FreePort.any(), directory -> new Slow(directory, start))) {
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
    CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
    AtomicReference<Supplier<CompletableFuture<Void>>> reads = new AtomicReference<>(() -> done);
    int seed = FreePort.any();
    try (TestNode a = TestNode.join(home, "a", "rack-a", seed, seed);
        TestNode b =
            TestNode.join(
                home,
                "b",
                "rack-b",
                seed,
                FreePort.any(),
                directory -> new Slow(directory, () -> reads.get().get(), done))) {
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
        TestNode.join(home, "a", "rack-a", seed, seed, directory -> new Slow(directory, start))) {
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
