package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three nodes on three racks, each a process. */
class ClusterIT {

  private static final int KEYS = 40;

  @TempDir private Path folder;

  @Test
  void allNodesServeAllValuesAndTheLossOfOneLosesNone() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(folder, NodeNetwork.loopback())) {
      EbbProcess a = cluster.add("a", "rack-1", "");
      EbbProcess b = cluster.add("b", "rack-2", "");
      EbbProcess c = cluster.add("c", "rack-3", "");
      cluster.awaitMembers();

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
  }

  /** While a third node joins, the directory moves and answers late. */
  @Test
  void confirmedValuesSurviveTheLossOfTheirNodeWhileAnotherOneJoins() throws Exception {
    try (ClusterProcesses cluster = new ClusterProcesses(folder, NodeNetwork.loopback())) {
      EbbProcess a = cluster.add("a", "rack-1", "");
      EbbProcess b = cluster.add("b", "rack-2", "");
      cluster.awaitMembers();
      EbbProcess c = cluster.add("c", "rack-3", "");
      int stored = 0;
      try (RespClient client = a.client(60_000)) {
        for (int after = 0; after < KEYS; stored++) {
          client.call("SET", "kept" + stored, "kept" + stored);
          after += ClusterProcesses.members(a) == 3 ? 1 : 0;
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
  }

  static void store(EbbProcess node, String prefix) throws IOException {
    try (RespClient client = node.client(20_000)) {
      for (int i = 0; i < KEYS; i++) {
        for (String key : List.of(chunk(prefix, i), prefix + i)) {
          client.call("SET", key, ClusterLoad.chunkValue(key));
        }
        String chunk = chunk(prefix, i);
        client.call("SET", ClusterLoad.metadataKey(chunk), ClusterLoad.metadata(chunk));
      }
    }
  }

  private static String chunk(String prefix, int number) {
    return ClusterLoad.chunk(prefix.hashCode() * 1_000L + number);
  }

  static void read(List<EbbProcess> nodes, String prefix) throws IOException {
    for (EbbProcess node : nodes) {
      try (RespClient client = node.client(20_000)) {
        for (int i = 0; i < KEYS; i++) {
          for (String key : List.of(chunk(prefix, i), prefix + i)) {
            assertThat(client.bytes("GET", key))
                .as("'%s' on %s", key, node)
                .isEqualTo(ClusterLoad.chunkValue(key));
          }
          String chunk = chunk(prefix, i);
          assertThat(client.bytes("GET", ClusterLoad.metadataKey(chunk)))
              .as("the metadata of '%s' on %s", chunk, node)
              .isEqualTo(ClusterLoad.metadata(chunk));
        }
      }
    }
  }

  /** Deletes through one node what another one has stored and all have read. */
  private static void delete(EbbProcess deletes, EbbProcess stores, EbbProcess reads)
      throws IOException {
    String key = chunk("from-a", KEYS);
    byte[] value = ClusterLoad.chunkValue(key);
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

  @Test
  void oneNodeLoadsNoClassOfTheCluster() throws Exception {
    try (NodeNetwork network = NodeNetwork.loopback()) {
      NodeAddress address = network.connect("alone", "rack-1");
      EbbProcess alone =
          new EbbProcess(
              "alone", "rack-1", address, folder.resolve("alone"), () -> single(address), Map.of());
      alone.start();
      try {
        while (!alone.serves()) {
          assertThat(alone.alive()).as(alone::output).isTrue();
          ClusterProcesses.sleep(50);
        }
        String classes =
            Shell.run(
                folder,
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(alone.pid()),
                "VM.class_hierarchy");
        // The start-up cache has exceptions that classes of the host catch.
        assertThat(classes)
            .contains("dev.ebb.host")
            .doesNotContain(
                "org.infinispan",
                "org.jgroups",
                "dev.ebb.host.transfer.TransferClient",
                "dev.ebb.host.transfer.TransferServer");
      } finally {
        alone.kill();
      }
    }
  }

  private static String single(NodeAddress address) {
    return """
    ebb {
      pool.size = 16 MiB
      server { port = %d, password = "%3$s" }
      admin { port = %d, token = "%3$s" }
    }
    """
        .formatted(address.respPort(), address.adminPort(), EbbProcess.PASSWORD);
  }
}
