package dev.ebb.host.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.store.SetOptions;
import dev.ebb.host.store.StoreConnection;
import dev.ebb.host.store.ValueWriter;
import dev.ebb.host.store.stats.StoreStats;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Conversations with a hybrid model on nodes that have no room for copies of all of them. A checker
 * that knows the prompts counts what they can use of what is left. It runs alone, because a copy
 * that fails is tried again only after some seconds.
 */
@Isolated
class HybridClusterTest {

  private static final ObjectGroups GROUPS = ObjectGroups.parse("test", "state,full");
  private static final int[] BYTES = {24_000, 8_000};
  private static final int SHARED = 4;
  private static final int TURNS = 3;
  private static final int CHUNKS_PER_TURN = 5;

  @TempDir private Path home;
  private final List<TestNode> nodes = new ArrayList<>();
  private final Map<Integer, List<Integer>> prompts = new HashMap<>();
  private int seed;
  private int chunks = SHARED;

  private TestNode join(String name, long bytes, int replicas, Map<String, ObjectGroups> models) {
    int port = FreePort.any();
    seed = nodes.isEmpty() ? port : seed;
    TestNode node = TestNode.join(home, name, seed, port, bytes, "replicas = " + replicas, models);
    nodes.add(node);
    Awaiting.until(() -> nodes.stream().allMatch(each -> each.node.nodes().size() == nodes.size()));
    return node;
  }

  /** Joins a node that clients use, with 64 MiB, and others that know nothing of the model. */
  private TestNode joinAll(int others, long bytes, int replicas) {
    TestNode first = join("a", 64 << 20, replicas, Map.of("qwen", GROUPS));
    for (int i = 0; i < others; i++) {
      join("other-" + i, bytes, replicas, Map.of());
    }
    return first;
  }

  @AfterEach
  void leave() {
    nodes.forEach(TestNode::close);
  }

  private static String key(int chunk, int group) {
    return "qwen@01000100@%x@%016x".formatted(group, chunk * 0x9E3779B97F4A7C15L);
  }

  /** Serves conversations that share their first chunks, in turns and in a random order. */
  private void serve(TestNode node, int conversations) {
    List<Integer> turns = new ArrayList<>();
    for (int i = 0; i < TURNS * conversations; i++) {
      turns.add(i % conversations);
    }
    Collections.shuffle(turns, new Random(5));
    try (StoreConnection by = node.stores.main().connect("engine")) {
      for (int conversation : turns) {
        List<Integer> prompt =
            prompts.computeIfAbsent(conversation, _ -> new ArrayList<>(List.of(0, 1, 2, 3)));
        int known = prompt.size() == SHARED ? 0 : prompt.size();
        for (int i = 0; i < CHUNKS_PER_TURN; i++) {
          prompt.add(chunks++);
        }
        serve(by, prompt, known);
        // An engine is slower than a node can copy what it stores.
        Awaiting.until(() -> isCopied(node));
      }
    }
  }

  private static boolean isCopied(TestNode node) {
    ClusterStats stats = node.node.stats();
    return stats.announcements() == 0 && stats.pendingReplications() == 0;
  }

  private static void serve(StoreConnection by, List<Integer> prompt, int known) {
    List<byte[]> keys = prompt.stream().map(chunk -> TestNode.bytes(key(chunk, 1))).toList();
    int found = by.begin("r", RequestFacts.UNKNOWN, -1, keys);
    assertThat(found).isGreaterThanOrEqualTo(known);
    for (int group = 0; group < GROUPS.size(); group++) {
      for (int chunk : prompt.subList(found, prompt.size())) {
        set(by, key(chunk, group), BYTES[group]);
      }
    }
    by.end("r", 1, facts -> facts);
  }

  private static void set(StoreConnection by, String key, int bytes) {
    try (ValueWriter writer = by.write(TestNode.bytes(key), bytes)) {
      writer.write(ByteBuffer.wrap(new byte[bytes]));
      writer.commit(SetOptions.PLAIN);
    }
  }

  /** Waits until the nodes have nothing to do with each other's values. */
  private void settle() throws InterruptedException {
    String before = "";
    for (int same = 0; same < 5; ) {
      Thread.sleep(400);
      String now = nodes.stream().map(HybridClusterTest::copies).toList().toString();
      boolean idle = nodes.stream().allMatch(HybridClusterTest::isCopied);
      same = idle && now.equals(before) ? same + 1 : 0;
      before = now;
    }
  }

  private static String copies(TestNode node) {
    StoreStats replicas = node.stores.replicas().stats();
    return "%d %d %d %d"
        .formatted(
            node.stores.main().stats().keys(),
            replicas.stored(),
            replicas.keys(),
            node.node.stats().pendingReplications());
  }

  /**
   * What prompts can use of the objects that some nodes have.
   *
   * @param chunks of the usable prefixes of all prompts
   * @param useless the bytes of objects that belong to no prefix that all groups can serve
   */
  private record Use(int chunks, long bytes, long useless) {}

  /** Looks at the objects themselves, whatever the nodes know of them. */
  private Use use() {
    return use(key -> nodes.stream().anyMatch(node -> holds(node, key)));
  }

  private static boolean holds(TestNode node, String key) {
    byte[] bytes = TestNode.bytes(key);
    return node.stores.main().length(bytes) >= 0 || node.stores.replicas().length(bytes) >= 0;
  }

  private Use use(Predicate<String> present) {
    Map<Integer, Long> have = new HashMap<>();
    for (int chunk = 0; chunk < chunks; chunk++) {
      long groups = 0;
      for (int group = 0; group < GROUPS.size(); group++) {
        groups |= present.test(key(chunk, group)) ? 1L << group : 0;
      }
      have.put(chunk, groups);
    }
    int usable = 0;
    Set<String> useful = new HashSet<>();
    for (List<Integer> prompt : prompts.values()) {
      long[] groups = prompt.stream().mapToLong(have::get).toArray();
      usable += GROUPS.usable(groups, groups.length);
      for (int point = 1; point <= groups.length; point++) {
        if (GROUPS.usable(Arrays.copyOf(groups, point), point) == point) {
          useful.add(key(prompt.get(point - 1), 0));
          prompt.subList(0, point).forEach(chunk -> useful.add(key(chunk, 1)));
        }
      }
    }
    long bytes = 0;
    long useless = 0;
    for (int chunk = 0; chunk < chunks; chunk++) {
      for (int group = 0; group < GROUPS.size(); group++) {
        if (have.get(chunk) >>> group % GROUPS.size() != 0
            && (have.get(chunk) >>> group & 1) != 0) {
          bytes += BYTES[group];
          useless += useful.contains(key(chunk, group)) ? 0 : BYTES[group];
        }
      }
    }
    return new Use(usable, bytes, useless);
  }

  private void lose(TestNode node) {
    nodes.remove(node);
    node.close();
  }

  private void assertUsable(double least, double mostUseless) {
    int all = prompts.values().stream().mapToInt(List::size).sum();
    Use use = use();
    assertThat(use.chunks).as("%s of %d chunks", use, all).isGreaterThan((int) (least * all));
    assertThat(use.useless).as("%s", use).isLessThan((long) (mostUseless * use.bytes));
  }

  @Test
  void theReplicasOfALostNodeAreUsablePrefixes() throws Exception {
    TestNode first = joinAll(1, 16 << 20, 1);
    serve(first, 35);
    settle();
    lose(first);
    assertUsable(.7, .1);
  }

  @Test
  void replicasOnSeveralNodesAreUsablePrefixes() throws Exception {
    TestNode first = joinAll(2, 16 << 20, 1);
    serve(first, 70);
    settle();
    lose(first);
    settle();
    // Each of them evicts by itself. If they did not know the order of the chunks, it would be 0.
    assertUsable(.4, .6);
  }

  @Test
  void aDrainWithoutRoomForAllMovesUsablePrefixes() throws Exception {
    TestNode first = joinAll(1, 16 << 20, 0);
    serve(first, 35);
    Awaiting.until(() -> first.node.stats().announcements() == 0);
    first.node.drain("a");
    StoreStats before = nodes.getLast().stores.replicas().stats();
    Awaiting.until(
        () -> nodes.getLast().stores.replicas().stats().usedBytes() > .9 * before.capacityBytes());
    settle();
    lose(first);
    assertUsable(.6, .15);
  }

  @Test
  void aMigrationMovesTheObjectsOfChunksTogether() {
    TestNode first = joinAll(1, 6 << 20, 0);
    serve(first, 35);
    List<byte[]> keys = new ArrayList<>();
    for (int chunk = 0; chunk < chunks; chunk++) {
      keys.add(TestNode.bytes(key(chunk, 1)));
    }
    Awaiting.until(() -> first.node.stats().announcements() == 0);
    first.node.migrate(keys, "other-0");
    Awaiting.until(() -> first.node.migrations().getFirst().state() != NodeMigration.State.COPYING);
    assertThat(first.node.migrations().getFirst().values()).isEqualTo(2 * chunks);
    lose(first);
    assertUsable(.8, .1);
  }
}
