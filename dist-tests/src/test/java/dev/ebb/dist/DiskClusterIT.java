package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes with small pools and disks, each a process, that end and start again. All tests use
 * the same nodes.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DiskClusterIT {

  private static final int NODES = 3;
  private static final int CLIENTS = 6;
  private static final int KEYS = 240;
  private static final int ROUNDS = Rounds.times(2);

  @TempDir private static Path folder = Path.of("");

  @SuppressWarnings("NullAway.Init")
  private static ClusterProcesses cluster;

  @BeforeAll
  static void start() throws IOException {
    cluster = new ClusterProcesses(folder, NodeNetwork.loopback());
    for (int i = 0; i < NODES; i++) {
      String name = "n" + (i + 1);
      cluster.add(
          name,
          "rack-" + name,
          """
          pool.size = 6 MiB
          cluster.replicas = 0
          tiers.disk { path = "%s", size = "256 MiB", region-size = "1 MiB" }
          """
              .formatted(folder.resolve(name + ".values")));
      cluster.awaitMembers();
    }
  }

  @AfterAll
  static void end() {
    cluster.close();
  }

  @Test
  @Order(2)
  void killedNodesReturnWithoutOldOrDeletedValues() throws Exception {
    ClusterLoad load = new ClusterLoad(cluster, CLIENTS, 10);
    Random random = new Random(3);
    for (int round = 0; round < ROUNDS; round++) {
      ClusterProcesses.sleep(2_000);
      EbbProcess node = cluster.nodes().get(random.nextInt(NODES));
      if (round % 2 == 1) {
        node.terminate();
      } else {
        node.kill();
      }
      ClusterProcesses.sleep(1_000);
      node.start();
      cluster.awaitMembers();
    }
    ClusterProcesses.sleep(1_000);
    load.stop();
    cluster.awaitAnnounced();
    load.checkConverged();
    System.out.println(load.report());
    assertThat(load.violations).isEmpty();
    assertThat(load.deleted).isNotEmpty();
    assertThat(disk(cluster.nodes().getFirst(), "disk_hits")).isPositive();
  }

  @Test
  @Order(1)
  void nodesThatRestartOneAfterTheOtherKeepTheirValues() throws Exception {
    for (int node = 0; node < NODES; node++) {
      try (RespClient client = cluster.nodes().get(node).client(20_000)) {
        for (int i = node; i < KEYS; i += NODES) {
          String key = key(i);
          client.call("SET", key, value(key));
          if (i % 2 == 0) {
            // The disk takes no chunk without it.
            client.call("SET", ClusterLoad.metadataKey(key), ClusterLoad.metadata(key));
          }
          // As clients do that compute what they store: no more is evicted than the disk takes.
          ClusterProcesses.sleep(20);
        }
      }
    }
    cluster.awaitAnnounced();
    List<String> before = found();
    assertThat(before.size()).isGreaterThan(KEYS / 2);
    AtomicBoolean stopped = new AtomicBoolean();
    // Not a thread of the common pool, which may have no other one for the end of a process.
    CompletableFuture<String> reads =
        CompletableFuture.supplyAsync(
            () -> read(stopped), task -> Thread.ofPlatform().daemon().start(task));
    for (EbbProcess node : cluster.nodes()) {
      node.terminate();
      node.start();
      cluster.awaitMembers();
    }
    stopped.set(true);
    System.out.println("  while nodes restarted: " + reads.join());
    List<String> after = found();
    List<String> lost = new ArrayList<>(before);
    lost.removeAll(after);
    System.out.printf(
        "  %d of %d values found before, %d lost by restarts: %s%n",
        before.size(), KEYS, lost.size(), lost);
    assertThat(lost).hasSizeLessThanOrEqualTo(KEYS / 100);
  }

  /** Reads from all nodes; if a connection ends, from the next node. Errors are not allowed. */
  private String read(AtomicBoolean stopped) {
    Random random = new Random(9);
    int[] counts = new int[3];
    RespClient client = null;
    for (int node = 0; !stopped.get(); ) {
      String key = key(random.nextInt(KEYS));
      try {
        client = client == null ? cluster.nodes().get(node).client(20_000) : client;
        byte[] value = client.bytes("GET", key);
        counts[value == null ? 1 : 0]++;
        if (value != null) {
          assertThat(value).as(key).isEqualTo(value(key));
        }
        ClusterProcesses.sleep(10);
      } catch (IOException ended) {
        counts[2]++;
        client = null;
        node = (node + 1) % NODES;
      } catch (RespClient.ServerError error) {
        throw new AssertionError("GET '%s' was answered with an error".formatted(key), error);
      }
    }
    return "%d hits, %d misses, %d reads sent again".formatted(counts[0], counts[1], counts[2]);
  }

  /** Half of the keys name their content. None is a key of the load. */
  private static String key(int index) {
    return index % 2 == 0 ? ClusterLoad.chunk(-1L - index) : "kept:" + index;
  }

  private static byte[] value(String key) {
    return CheckedValue.of(key, 1, 33_000 + Math.floorMod(key.hashCode(), 31_000));
  }

  /**
   * Returns the keys whose values all nodes find. On a busy machine another node may answer a few
   * too late: what a node misses, it is asked for again.
   */
  private List<String> found() throws IOException {
    Set<String> found = new LinkedHashSet<>();
    for (int i = 0; i < KEYS; i++) {
      found.add(key(i));
    }
    for (EbbProcess node : cluster.nodes()) {
      try (RespClient client = node.client(20_000)) {
        Set<String> missed = missed(client, found);
        for (int tries = 0; tries < 4 && !missed.isEmpty(); tries++) {
          ClusterProcesses.sleep(500);
          missed = missed(client, missed);
        }
        found.removeAll(missed);
      }
    }
    return List.copyOf(found);
  }

  private static Set<String> missed(RespClient client, Set<String> keys) throws IOException {
    Set<String> missed = new LinkedHashSet<>();
    for (String key : keys) {
      byte[] value = client.bytes("GET", key);
      if (value == null) {
        missed.add(key);
      } else {
        assertThat(Arrays.equals(value, value(key))).as(key).isTrue();
      }
    }
    return missed;
  }

  private static long disk(EbbProcess node, String figure) throws IOException {
    try (RespClient client = node.client(20_000)) {
      String info = new String(client.bytes("INFO", "disk"));
      return info.lines()
          .filter(line -> line.startsWith(figure + ":"))
          .mapToLong(line -> Long.parseLong(line.substring(figure.length() + 1).trim()))
          .findFirst()
          .orElse(-1);
    }
  }
}
