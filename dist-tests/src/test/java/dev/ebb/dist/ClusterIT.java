package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes on three racks, each a process. All tests use the same nodes; each one starts those
 * that the one before has ended, which takes least time in this order.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {

  private static final int KEYS = 40;

  @TempDir private static Path folder = Path.of("");

  @SuppressWarnings("NullAway.Init")
  private static ClusterProcesses cluster;

  @SuppressWarnings("NullAway.Init")
  private static EbbProcess a;

  @SuppressWarnings("NullAway.Init")
  private static EbbProcess b;

  @SuppressWarnings("NullAway.Init")
  private static EbbProcess c;

  @BeforeAll
  static void startNodes() throws IOException {
    cluster = new ClusterProcesses(folder, NodeNetwork.loopback());
    a = cluster.add("a", "rack-1", "");
    b = cluster.add("b", "rack-2", "");
    c = cluster.add("c", "rack-3", "");
  }

  @AfterAll
  static void endNodes() {
    cluster.close();
  }

  /** Starts the nodes that have ended, and waits until all agree and have their replicas. */
  private static void startEnded(EbbProcess... nodes) throws IOException {
    for (EbbProcess node : nodes) {
      if (!node.alive()) {
        node.start();
      }
    }
    cluster.awaitMembers();
    cluster.awaitReplicated();
  }

  @Test
  @Order(1)
  void allNodesServeAllValuesAndTheLossOfOneLosesNone() throws Exception {
    startEnded(a, b, c);
    store(a, "from-a");
    store(b, "from-b");
    cluster.awaitAnnounced();
    read(List.of(a, b, c), "from-a");
    read(List.of(c, a), "from-b");
    delete(b, c, a);

    cluster.awaitReplicated();
    a.kill();
    cluster.awaitMembers();
    read(List.of(b, c), "from-a");
    read(List.of(b, c), "from-b");
  }

  /** With the commands of an operator. */
  @Test
  @Order(2)
  void aNodeIsDrainedAndStoppedWithoutALoss() throws Exception {
    startEnded(a, b, c);
    store(c, "from-c");
    assertThat(ebb("cluster", "status"))
        .containsPattern("(?m)^cluster +\\S+, 3 nodes")
        .contains("this node     a, ");
    assertThat(ebb("cluster", "nodes"))
        .containsPattern("(?m)^\\* +a +active +default +rack-1 ")
        .containsPattern("(?m)^ +c +active +default +rack-3 ");
    cluster.awaitAnnounced();
    assertThat(ebb("cluster", "values", "from-c0")).containsPattern(" c .* from-c0\n");

    assertThat(ebb("cluster", "drain", "c", "--wait")).contains("'c' is drained");
    c.terminate();
    cluster.awaitMembers();
    read(List.of(a, b), "from-c");
    assertThat(ebb("pool", "migrate", "from-c3", "--target-node", "b", "--wait"))
        .contains("is done: 1 value");
    read(List.of(a), "from-c");
  }

  private static String ebb(String... command) {
    Ebb.Run run = new Ebb(a.folder()).run(command);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out();
  }

  /** While a third node joins, the directory moves and answers late. */
  @Test
  @Order(3)
  void confirmedValuesSurviveTheLossOfTheirNodeWhileAnotherOneJoins() throws Exception {
    c.kill();
    startEnded(a, b);
    c.start();
    int stored = 0;
    try (RespClient client = a.client(60_000)) {
      for (int after = 0; after < KEYS; stored++) {
        client.call("SET", "kept" + stored, "kept" + stored);
        after += ClusterProcesses.members(a) == 3 ? 1 : 0;
        ClusterProcesses.sleep(10);
      }
      assertThat(client.number("EBB.WAIT", 1, 60_000)).isPositive();
    }
    a.kill();
    cluster.awaitMembers();
    cluster.awaitAnnounced();
    for (EbbProcess node : List.of(b, c)) {
      try (RespClient client = node.client(20_000)) {
        for (int i = 0; i < stored; i++) {
          assertThat(client.bytes("GET", "kept" + i)).asString().isEqualTo("kept" + i);
        }
      }
    }
  }

  static void store(EbbProcess node, String prefix) throws IOException {
    try (RespClient client = node.client(20_000)) {
      for (int i = 0; i < KEYS; i++) {
        for (String key : List.of(chunk(prefix, i), prefix + i)) {
          client.call("SET", key, value(key));
        }
        String chunk = chunk(prefix, i);
        client.call("SET", ClusterLoad.metadataKey(chunk), ClusterLoad.metadata(chunk));
      }
    }
  }

  private static byte[] value(String key) {
    int number = Math.floorMod(key.hashCode(), 10_000);
    // One in ten takes several blocks.
    return CheckedValue.of(key, 0, number % 10 == 0 ? 70_000 : 1_000 + number);
  }

  private static String chunk(String prefix, int number) {
    return ClusterLoad.chunk(prefix.hashCode() * 1_000L + number);
  }

  /**
   * Reads all values of a prefix. On a busy machine another node may answer a few too late: a miss.
   */
  static void read(List<EbbProcess> nodes, String prefix) throws IOException {
    for (EbbProcess node : nodes) {
      Map<String, byte[]> wanted = wanted(prefix);
      try (RespClient client = node.client(20_000)) {
        Set<String> missed = missed(client, wanted.keySet(), wanted);
        for (int tries = 0; tries < 20 && !missed.isEmpty(); tries++) {
          ClusterProcesses.sleep(500);
          missed = missed(client, missed, wanted);
        }
        assertThat(missed).as("missed on %s", node).isEmpty();
      }
    }
  }

  private static Set<String> missed(RespClient client, Set<String> keys, Map<String, byte[]> wanted)
      throws IOException {
    Set<String> missed = new LinkedHashSet<>();
    for (String key : keys) {
      byte[] value = client.bytes("GET", key);
      if (value == null) {
        missed.add(key);
      } else {
        assertThat(value).as(key).isEqualTo(wanted.get(key));
      }
    }
    return missed;
  }

  private static Map<String, byte[]> wanted(String prefix) {
    Map<String, byte[]> wanted = new LinkedHashMap<>();
    for (int i = 0; i < KEYS; i++) {
      String chunk = chunk(prefix, i);
      wanted.put(chunk, value(chunk));
      wanted.put(prefix + i, value(prefix + i));
      wanted.put(ClusterLoad.metadataKey(chunk), ClusterLoad.metadata(chunk));
    }
    return wanted;
  }

  /** Deletes through one node what another one has stored and all have read. */
  private static void delete(EbbProcess deletes, EbbProcess stores, EbbProcess reads)
      throws IOException {
    String key = chunk("from-a", KEYS);
    byte[] value = value(key);
    try (RespClient one = deletes.client(20_000);
        RespClient two = stores.client(20_000);
        RespClient three = reads.client(20_000)) {
      two.call("SET", key, value);
      for (RespClient each : List.of(one, three)) {
        while (each.bytes("GET", key) == null) {
          // The directory does not know the value yet.
          ClusterProcesses.sleep(10);
        }
        assertThat(each.bytes("GET", key)).isEqualTo(value);
      }
      assertThat(one.number("DEL", key)).isOne();
      for (RespClient each : List.of(one, two, three)) {
        assertThat(each.bytes("GET", key)).isNull();
        assertThat(each.number("EXISTS", key)).isZero();
      }
    }
  }
}
