package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.store.key.ChunkKeys;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes whose disks hold most of their values. */
@Timeout(180)
class DiskNodesTest {

  private static final int POOL_MIB = 4;
  private static final int BYTES = 40_000;

  /** Several times as many as the memory of a node has room for. */
  private static final int KEYS = 300;

  @TempDir private Path home;
  private final Map<String, TestNode> nodes = new LinkedHashMap<>();
  private final Map<String, Integer> ports = new HashMap<>();

  /** What each key has: a number, 0 if it was deleted. */
  private final Map<String, Integer> truth = new HashMap<>();

  private TestNode start(String name) {
    int port = ports.computeIfAbsent(name, _ -> FreePort.any());
    int seed = nodes.isEmpty() ? port : ports.get(nodes.keySet().iterator().next());
    TestNode node = TestNode.join(home, name, seed, port, POOL_MIB, home.resolve("values-" + name));
    nodes.put(name, node);
    Awaiting.until(
        () -> nodes.values().stream().allMatch(each -> each.node.nodes().size() == nodes.size()));
    return node;
  }

  private void stop(String name) {
    nodes.remove(name).close();
    Awaiting.until(
        () -> nodes.values().stream().allMatch(each -> each.node.nodes().size() == nodes.size()));
  }

  @AfterEach
  void stopAll() {
    nodes.values().forEach(TestNode::close);
  }

  /** The first third are chunks, whose keys name their content; the others are plain. */
  private static String key(int index) {
    return index < KEYS / 3
        ? "m@1@0@%x@half".formatted(index * 0x9E3779B97F4A7C15L)
        : "key-" + index;
  }

  private static boolean isChunk(String key) {
    return ChunkKeys.isContentAddressed(TestNode.bytes(key));
  }

  private static byte[] value(String key, int number) {
    byte[] bytes = new byte[BYTES];
    new Random(31L * key.hashCode() + (isChunk(key) ? 1 : number)).nextBytes(bytes);
    ByteBuffer.wrap(bytes).putInt(isChunk(key) ? 1 : number);
    return bytes;
  }

  private void set(TestNode node, String key) {
    int number = truth.merge(key, 1, (old, one) -> Math.abs(old) + 1);
    node.set(key, value(key, number));
    node.awaitRoom();
  }

  private void delete(TestNode node, String key) {
    node.delete(key);
    truth.computeIfPresent(key, (_, number) -> -Math.abs(number));
  }

  private void setAll(TestNode node) {
    for (int i = 0; i < KEYS; i++) {
      set(node, key(i));
    }
  }

  private void settle() {
    Awaiting.until(
        () -> nodes.values().stream().allMatch(node -> node.node.stats().announcements() == 0));
  }

  /** Returns how many of all values a node finds; none may be wrong, old or deleted. */
  private int check(TestNode node) {
    int found = 0;
    for (Map.Entry<String, Integer> each : truth.entrySet()) {
      String key = each.getKey();
      byte @Nullable [] value = node.get(key);
      // What it has returned to memory evicts others, which a slow disk would not take.
      node.awaitRoom();
      assertThat(node.exists(key)).as("existence of %s", key).isEqualTo(value != null);
      if (value != null) {
        found++;
        assertThat(each.getValue()).as("%s was deleted", key).isPositive();
        assertThat(value).as(key).isEqualTo(value(key, each.getValue()));
      }
    }
    return found;
  }

  private long living() {
    return truth.values().stream().filter(number -> number > 0).count();
  }

  @Test
  void aValueThatOnlyTheDiskOfANodeHasIsReadFromThere() {
    TestNode a = start("a");
    TestNode b = start("b");
    setAll(a);
    settle();
    assertThat(a.stores.main().stats().keys()).isLessThan(KEYS / 2);
    assertThat(a.disk.stats().disk().values()).isGreaterThan(KEYS / 2);
    assertThat(a.node.stats().movedValues()).isZero();
    assertThat(check(b)).isEqualTo(KEYS);
    assertThat(check(a)).isEqualTo(KEYS);
  }

  @Test
  void metadataComesWithTheChunkFromTheDiskOfAnotherNode() {
    TestNode a = start("a");
    TestNode b = start("b");
    for (int i = 0; i < KEYS; i++) {
      String key = "m@1@0@%x@halfkv_bytes".formatted(i * 0x9E3779B97F4A7C15L);
      a.set(key, value(key, 1));
      a.set(key.replace("kv_bytes", "metadata"), new byte[] {1, 2, (byte) i});
      a.awaitRoom();
    }
    settle();
    for (int i = 0; i < KEYS; i++) {
      String key = "m@1@0@%x@halfkv_bytes".formatted(i * 0x9E3779B97F4A7C15L);
      assertThat(b.get(key.replace("kv_bytes", "metadata"))).containsExactly(1, 2, (byte) i);
      assertThat(b.get(key)).isEqualTo(value(key, 1));
    }
  }

  @Test
  void aDeletedOrReplacedValueIsOnNoDisk() {
    TestNode a = start("a");
    TestNode b = start("b");
    setAll(a);
    settle();
    for (int i = 0; i < KEYS; i += 3) {
      delete(b, key(i));
      set(b, key(i + 1));
    }
    settle();
    assertThat(check(a)).isEqualTo((int) living());
    assertThat(check(b)).isEqualTo((int) living());
    b.clear();
    truth.replaceAll((key, number) -> -Math.abs(number));
    assertThat(check(a)).isZero();
    assertThat(check(b)).isZero();
    assertThat(a.disk.stats().disk().values()).isLessThanOrEqualTo(2);
  }

  @Test
  void aNodeThatWasAwayHasWhatDidNotChange() {
    TestNode a = start("a");
    start("b");
    TestNode c = start("c");
    setAll(c);
    settle();
    stop("c");
    for (int i = 0; i < KEYS; i += 3) {
      delete(a, key(i));
      set(a, key(i + 1));
    }
    // Memory and disk of the other node forget the new values: only their versions are known.
    for (int i = 1; i < KEYS; i += 6) {
      a.stores.main().deleteUpTo(TestNode.bytes(key(i)), Long.MAX_VALUE);
    }
    settle();
    c = start("c");
    check(a);
    check(c);
    int unchanged = 0;
    for (int i = 2; i < KEYS; i += 3) {
      unchanged += c.get(key(i)) == null ? 0 : 1;
    }
    assertThat(unchanged).isEqualTo(KEYS / 3);
    assertThat(check(nodes.get("b"))).isGreaterThanOrEqualTo(unchanged);
  }

  @Test
  void aNodeThatWasAwayDuringAFlushHasNothing() {
    TestNode a = start("a");
    TestNode b = start("b");
    setAll(b);
    settle();
    stop("b");
    a.clear();
    truth.replaceAll((key, number) -> -Math.abs(number));
    b = start("b");
    assertThat(check(b)).isZero();
    assertThat(check(a)).isZero();
    setAll(b);
    assertThat(check(a)).isEqualTo(KEYS);
  }

  @Test
  void withoutANodeThatKnowsAllChangesOnlyChunksAreValid() {
    setAll(start("a"));
    settle();
    stop("a");
    TestNode a = start("a");
    assertThat(check(a)).isEqualTo(KEYS / 3);
    setAll(a);
    assertThat(check(a)).isEqualTo(KEYS);
  }

  @Test
  void nodesRestartOneAfterTheOther() {
    start("a");
    start("b");
    start("c");
    Random random = new Random(11);
    for (int i = 0; i < KEYS; i++) {
      set(nodes.get("abc".substring(i % 3, i % 3 + 1)), key(i));
    }
    for (String name : new String[] {"a", "b", "c", "a"}) {
      settle();
      stop(name);
      TestNode other = nodes.values().iterator().next();
      for (int i = 0; i < 20; i++) {
        String key = key(random.nextInt(KEYS));
        if (i % 2 == 0) {
          delete(other, key);
        } else {
          set(other, key);
        }
      }
      start(name);
      settle();
      for (TestNode node : nodes.values()) {
        assertThat(check(node)).isEqualTo((int) living());
      }
    }
  }
}
