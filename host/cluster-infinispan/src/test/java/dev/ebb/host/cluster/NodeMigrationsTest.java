package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeMigrationsTest {

  @TempDir private Path home;

  /** A policy may evict first what has just arrived. */
  @Test
  void aValueThatItsTargetEvictsStaysWhereItWas() {
    AtomicReference<Runnable> change = new AtomicReference<>(() -> {});
    int seed = FreePort.any();
    try (TestNode a = TestNode.join(home, "a", "r1", seed, seed, 16 << 20, "replicas = 0");
        TestNode b =
            TestNode.join(
                home,
                "b",
                "r2",
                seed,
                FreePort.any(),
                directory ->
                    new WaitingDirectory(
                        directory,
                        WaitingDirectory.NOTHING,
                        () -> {
                          change.get().run();
                          return CompletableFuture.completedFuture(null);
                        }))) {
      Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
      a.set("key", new byte[] {1, 2, 3});
      Awaiting.until(() -> a.node.find(TestNode.bytes("key")).join().isPresent());
      change.set(() -> b.stores.main().deleteUpTo(TestNode.bytes("key"), Long.MAX_VALUE));

      a.node.migrate(List.of(TestNode.bytes("key")), "b");
      Awaiting.until(() -> a.node.migrations().getFirst().state() != NodeMigration.State.COPYING);
      assertThat(a.node.migrations().getFirst().state()).isEqualTo(NodeMigration.State.FAILED);
      assertThat(a.stores.main().exists(TestNode.bytes("key"))).isTrue();
      assertThat(b.get("key")).containsExactly(1, 2, 3);
    }
  }
}
