package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cluster.directory.ValueId;
import dev.ebb.host.cluster.message.Message.Item;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that clients replace while nodes copy, read or evict them. */
class OverwrittenValuesTest {

  private static final byte[] KEY = TestNode.bytes("key");

  @TempDir private Path home;
  private final AtomicReference<Supplier<CompletableFuture<Void>>> reads =
      new AtomicReference<>(WaitingDirectory.NOTHING);
  private final AtomicReference<Supplier<CompletableFuture<Void>>> changes =
      new AtomicReference<>(WaitingDirectory.NOTHING);
  private TestNode a;
  private TestNode b;

  @BeforeEach
  void join() {
    int seed = FreePort.any();
    a = TestNode.join(home, "a", "rack-a", seed, seed, 16 << 20, "replicas = 0");
    b =
        TestNode.join(
            home,
            "b",
            "rack-b",
            seed,
            FreePort.any(),
            directory ->
                new WaitingDirectory(
                    directory, () -> reads.get().get(), () -> changes.get().get()));
    Awaiting.until(() -> a.node.nodes().size() == 2 && b.node.nodes().size() == 2);
    a.set("key", new byte[] {1});
    Awaiting.until(() -> b.node.find(KEY).join().isPresent());
  }

  @AfterEach
  void leave() {
    b.close();
    a.close();
  }

  @Test
  void aReadReturnsTheNewerVersionThatItFinds() {
    reads.set(() -> {
      reads.set(WaitingDirectory.NOTHING);
      a.set("key", new byte[] {2});
      return CompletableFuture.completedFuture(null);
    });
    assertThat(b.get("key")).containsExactly(2);
  }

  @Test
  void theAnswerForAnOlderVersionDoesNotEndTheOfferOfANewerOne() {
    byte[] missing = TestNode.bytes("missing");
    int to = b.node.self().id();
    a.node.replication.offer(to, ValueId.of(missing), new Item(missing, 2), true);
    a.node.replication.answered(to, new Item(missing, 1), true);
    // It waits for its answer, or after that to be offered again.
    assertThat(a.node.replication.pendingCopies()).isPositive();
  }

  /** Its check waits behind that of another value. */
  @Test
  void aValueThatIsRemovedBeforeItIsAnnouncedHasReplacedOlderOnes() {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CompletableFuture<Void> answer = new CompletableFuture<>();
    changes.set(() -> {
      asked.complete(null);
      return answer;
    });
    b.set("other", new byte[] {1});
    asked.join();
    changes.set(WaitingDirectory.NOTHING);
    b.set("key", new byte[] {2});
    assertThat(b.stores.main().deleteUpTo(KEY, Long.MAX_VALUE)).isTrue();
    answer.complete(null);

    Awaiting.until(() -> !a.stores.main().exists(KEY));
    assertThat(a.get("key")).isNull();
    assertThat(b.get("key")).isNull();
    b.set("key", new byte[] {3});
    Awaiting.until(() -> a.exists("key"));
    assertThat(a.get("key")).containsExactly(3);
  }
}
